import type { SampleWebOptions } from "./sample-web-options.ts";
import type { SiteLayout } from "./site-layout.ts";
import { draw } from "./site-layout.ts";

/** A host of the sample web: host `label` of site `site`. */
export interface SampleHost {
  readonly site: number;
  readonly label: number;
}

const hostLabels = ["www", "docs", "blog", "shop", "help", "news", "wiki", "dev"] as const;
const siteDigits = 4;
const addressesPerBlock = 250;
const onlyAddress = "127.0.0.1";

/** Directories of pages; `view` pages have their number in the query, and one name is not ASCII. */
const sections = ["guide", "news", "p", "view", "archive", "caf\u00e9", "a/b/c", "~home"] as const;
const wildcardRuled = 3;

const otherTypes = [
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["txt", "text/plain; charset=utf-8"],
  ["json", "application/json"],
] as const;

/** Names of query parameters that never change a page. */
const idleParameters = new Set(["PHPSESSID", "utm_source"]);

/**
 * Host names, addresses and paths of the sample web's pages, both ways. Nothing is stored: a name is computed from its
 * number and the number read back from the name.
 */
export class SiteNames {
  readonly #options: SampleWebOptions;
  readonly #layout: SiteLayout;

  constructor(options: SampleWebOptions, layout: SiteLayout) {
    this.#options = options;
    this.#layout = layout;
  }

  get hostCount(): number {
    return this.#options.sites * this.#options.hostsPerSite;
  }

  hostName(host: SampleHost): string {
    if (this.#options.naming === "addresses") return this.#address(host.site);
    const label = hostLabels[host.label] ?? `h${host.label}`;
    return `${label}.site-${String(host.site).padStart(siteDigits, "0")}.example`;
  }

  /** The host of that name (in lower case); undefined when the sample web has none. */
  findHost(name: string): SampleHost | undefined {
    if (this.#options.naming === "addresses") {
      const site = this.#addressNumber(name);
      return site !== undefined && site < this.#options.sites ? { site, label: 0 } : undefined;
    }
    const match = /^([a-z]+|h\d{1,6})\.site-(\d{4,8})\.example$/.exec(name);
    if (match === null) return undefined;
    const [, labelName = "", digits = ""] = match;
    const known = (hostLabels as readonly string[]).indexOf(labelName);
    const host = { site: Number(digits), label: known < 0 ? Number(labelName.slice(1)) : known };
    const exists = host.site < this.#options.sites && host.label < this.#options.hostsPerSite;
    return exists && this.hostName(host) === name ? host : undefined;
  }

  /** The one IPv4 address of a host: neighbouring hosts share one, `hostsPerAddress` at a time, or all of them do. */
  addressOf(host: SampleHost): string {
    if (this.#options.addressing === "one") return onlyAddress;
    const number = host.site * this.#options.hostsPerSite + host.label;
    return this.#address(Math.floor(number / this.#options.hostsPerAddress));
  }

  /** All addresses, each once. */
  addresses(): string[] {
    if (this.#options.addressing === "one") return [onlyAddress];
    const count = Math.ceil(this.hostCount / this.#options.hostsPerAddress);
    return Array.from({ length: count }, (_, number) => this.#address(number));
  }

  hostOf(site: number, index: number): SampleHost {
    if (index === 0) return { site, label: 0 };
    const original = this.#layout.originalOf(site, index);
    if (original === 0) return { site, label: 0 };
    return {
      site,
      label: this.#layout.draw(site, original, draw.host) % this.#options.hostsPerSite,
    };
  }

  /** Path and query of a page, decoded: not ASCII where its section is not. */
  pathOf(site: number, index: number): string {
    if (index === 0) return "/";
    const kind = this.#layout.kindOf(site, index);
    if (kind === "other") return `/files/${index}.${this.otherType(site, index)[0]}`;
    if (kind === "ruled") {
      const variant = this.#layout.draw(site, index, draw.section) % wildcardRuled;
      return (
        [`/private/${index}.html`, `/private/open/${index}.html`, `/tmp/${index}.tmp`][variant] ??
        "/"
      );
    }
    const original = this.#layout.originalOf(site, index);
    if (original === 0) return `/${index}.html`;
    const section = this.#layout.draw(site, original, draw.section) % sections.length;
    const name = sections[section] ?? "p";
    return name === "view" ? `/view?id=${index}&lang=en` : `/${name}/${index}.html`;
  }

  /** File extension and content type of a page that is not HTML. */
  otherType(site: number, index: number): readonly [extension: string, contentType: string] {
    return (
      otherTypes[this.#layout.draw(site, index, draw.contentType) % otherTypes.length] ??
      otherTypes[0]
    );
  }

  /** The page of a host with that path and query as sent; spellings that name the same page find it. */
  findPage(host: SampleHost, target: string): number | undefined {
    const [path = "/", query] = target.split("?", 2);
    const kept = (query ?? "").split("&").filter((pair) => {
      const name = pair.split("=", 1)[0] ?? "";
      return pair !== "" && !idleParameters.has(name);
    });
    const text = decodePath(path) + (kept.length > 0 ? `?${kept.sort().join("&")}` : "");
    const digits = /(?:\/|\?id=)(\d{1,10})(?:\.[a-z]+$|&)/.exec(text)?.[1];
    const index = text === "/" ? 0 : Number(digits ?? Number.NaN);
    if (!(index < this.#layout.pagesOf(host.site))) return undefined;
    const isThere =
      this.pathOf(host.site, index) === text && this.hostOf(host.site, index).label === host.label;
    return isThere ? index : undefined;
  }

  #address(number: number): string {
    const block = Math.floor(number / addressesPerBlock);
    const { addressBlock } = this.#options;
    const place = 1 + (number % addressesPerBlock);
    return `${addressBlock}.${1 + (block >> 8)}.${block & 255}.${place}`;
  }

  #addressNumber(name: string): number | undefined {
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name);
    if (match === null || Number(match[1]) !== this.#options.addressBlock) return undefined;
    const block = (Number(match[2]) - 1) * 256 + Number(match[3]);
    const place = Number(match[4]) - 1;
    const valid = block >= 0 && place >= 0 && place < addressesPerBlock;
    return valid ? block * addressesPerBlock + place : undefined;
  }
}

function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
