import { Agent, get, type IncomingMessage } from "node:http";

import type { SampleWeb } from "../../sim/sample-web/sample-web.ts";

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** One GET of `url` from the address that the sample web says; rejects where the connection breaks. */
export function getPlainly(
  web: SampleWeb,
  url: string,
  agent: Agent,
  headers: Record<string, string> = {},
): Promise<PlainAnswer> {
  const { hostname, host, pathname, search } = new URL(url);
  const found = web.names.findHost(hostname);
  if (found === undefined) throw new RangeError(`no such host: ${hostname}`);
  const options = {
    agent,
    host: web.names.addressOf(found),
    port: web.port,
    path: pathname + search,
    headers: { host, "user-agent": "plain/1.0 (+http://plain.example/)", ...headers },
  };
  return new Promise((resolve, reject) => {
    get(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(parts) });
      });
    }).on("error", reject);
  });
}

/**
 * The simplest crawler that can crawl the sample web, sharing no code with the real one or with the web's own
 * structure: regular expressions, one request at a time. Returns the URLs it fetched.
 */
export async function crawlPlainly(web: SampleWeb, seeds: readonly string[]): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const disallowed = new Map<string, readonly string[]>();
  const queue = seeds.map(tidy);
  const seen = new Set(queue.map(keyOf));
  for (const url of queue) {
    const { origin, pathname } = new URL(url);
    let rules = disallowed.get(origin);
    if (rules === undefined) {
      const robots = await getPlainly(web, `${origin}/robots.txt`, agent);
      const text = robots.status === 200 ? robots.body.toString() : "";
      rules = [...text.matchAll(/^Disallow: (.*)$/gm)].map((match) => match[1] ?? "");
      disallowed.set(origin, rules);
    }
    if (rules.length > 0 && /^\/private\/(?!open\/)|\.tmp$/.test(pathname)) {
      seen.delete(keyOf(url));
      continue;
    }
    for (const link of await linksOf(web, url, agent)) {
      const next = tidy(link);
      if (seen.has(keyOf(next))) continue;
      seen.add(keyOf(next));
      queue.push(next);
    }
  }
  agent.destroy();
  return [...seen];
}

async function linksOf(web: SampleWeb, url: string, agent: Agent): Promise<string[]> {
  const answer = await getPlainly(web, url, agent).catch(() => undefined);
  if (answer === undefined) return [];
  const { status, headers, body } = answer;
  if (headers["retry-after"] !== undefined) return linksOf(web, url, agent);
  if (headers.location !== undefined) return [new URL(headers.location, url).href];
  if (status !== 200 || headers["content-type"]?.startsWith("text/html") !== true) return [];
  const declared = /charset="?([\w-]+)/.exec(
    `${headers["content-type"]} ${body.toString("latin1")}`,
  );
  const label = body[0] === 0xff ? "utf-16le" : (declared?.[1] ?? "utf-8");
  const html = new TextDecoder(label).decode(body);
  if (html.includes("noindex, nofollow")) return [];
  const base = /<base href="([^"]*)"/.exec(html)?.[1] ?? url;
  const references = html.matchAll(
    /<(?:a|area) href="([^"]*)"|<iframe src="([^"]*)"|url=([^"]*)"/g,
  );
  return [...references].map(([, href, source, refresh]) => {
    const reference = href ?? source ?? refresh ?? "";
    return new URL(reference.replaceAll("&amp;", "&"), base).href;
  });
}

function tidy(url: string): string {
  return url.split("#", 1)[0]?.replaceAll("%68", "h").replaceAll("%7e", "~") ?? "";
}

function keyOf(url: string): string {
  return url.replace(/[?&](?:PHPSESSID|utm_source)=\w+/, "");
}
