import { existsSync } from "node:fs";
import { nginxVersion, serveFolder } from "./nginx-server.ts";
import { serveSampleWeb } from "./sample-web-server.ts";
import type { SiteServer } from "./site-server.ts";

/** A site that tools are compared on. */
export interface BenchSite {
  readonly name: string;
  readonly about: string;
  /** Reachable pages in the version that figures are known of; another version has another number. */
  readonly pagesKnown: number;
  /** What is missing on this machine; undefined where it can be served. */
  readonly missing: () => string | undefined;
  readonly serve: (directory: string) => Promise<SiteServer>;
}

const sampleWeb = { sites: 20, pages: 4_000 } as const;

export const benchSites: readonly BenchSite[] = [
  // 2,657 by links alone, one more behind a redirect.
  documentation("apache2-doc", 2_658, "127.0.0.21", ["/usr/share/doc/apache2-doc/manual"]),
  documentation("postgresql-doc", 1_169, "127.0.0.22", [
    "/usr/share/doc/postgresql-doc-15/html",
    "/usr/share/doc/postgresql-doc/html",
  ]),
  documentation("python3-doc", 526, "127.0.0.23", ["/usr/share/doc/python3-doc/html"]),
  documentation("linux-doc", 3_062, "127.0.0.24", ["/usr/share/doc/linux-doc/html"]),
  documentation("openjdk-17-doc", 10_136, "127.0.0.25", ["/usr/share/doc/openjdk-17-doc/api"]),
  {
    name: "sample",
    about: `the sample web: ${sampleWeb.sites} hosts on as many addresses`,
    pagesKnown: sampleWeb.pages,
    missing: () => undefined,
    serve: (directory) => serveSampleWeb(sampleWeb, directory),
  },
];

/** The HTML of a Debian package, from the first of `roots` that is there. */
function documentation(
  name: string,
  pagesKnown: number,
  address: string,
  roots: readonly string[],
): BenchSite {
  const startPath = "/index.html";
  const root = (): string | undefined => roots.find((path) => existsSync(path + startPath));
  return {
    name,
    about: `HTML of the Debian package ${name} by nginx`,
    pagesKnown,
    missing: () => {
      if (nginxVersion() === undefined) return "nginx";
      return root() === undefined ? `the package ${name}` : undefined;
    },
    serve: (directory) => serveFolder({ root: root() ?? "", startPath, address }, directory),
  };
}
