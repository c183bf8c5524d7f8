// What one Node thread can do at most: undici's dispatch, htmlparser2 and a Set, nothing written, nothing kept.
// Plain JavaScript outside of lint and type check, because its packages are installed by this folder's own package.json.
import { Parser } from "htmlparser2";
import { Agent } from "undici";

const { start, connections, anyHost } = JSON.parse(process.argv[2] ?? "{}");
const home = new URL(start).host;
const linkAttributes = { a: "href", area: "href", frame: "src", iframe: "src" };
const agent = new Agent({ connections, pipelining: 1 });
const seen = new Set([start]);
const queue = [start];
let open = 0;
let pages = 0;
let failed = 0;

function add(link, base) {
  const url = URL.parse(link, base);
  if (url === null || url.protocol !== "http:" || !(anyHost || url.host === home)) return;
  url.hash = "";
  if (seen.has(url.href)) return;
  seen.add(url.href);
  queue.push(url.href);
}

function read(html, pageUrl) {
  let base = pageUrl;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "base" && attributes.href !== undefined) {
        base = URL.parse(attributes.href, pageUrl)?.href ?? base;
      }
      const attribute = linkAttributes[name];
      const link = attribute === undefined ? undefined : attributes[attribute];
      if (link !== undefined) add(link, base);
    },
  });
  parser.end(html);
}

function fetchPage(href) {
  const url = new URL(href);
  const chunks = [];
  let isPage = false;
  open += 1;
  agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: "GET" },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        isPage = status === 200 && (headers["content-type"] ?? "").startsWith("text/html");
        if (status >= 300 && status < 400 && headers.location) add(headers.location, href);
      },
      onResponseData(_controller, chunk) {
        if (isPage) chunks.push(chunk);
      },
      onResponseEnd() {
        if (isPage) {
          pages += 1;
          read(Buffer.concat(chunks).toString(), href);
        }
        next();
      },
      onResponseError() {
        failed += 1;
        next();
      },
    },
  );
}

function next() {
  open -= 1;
  pump();
}

function pump() {
  while (open < connections && queue.length > 0) fetchPage(queue.pop());
  if (open > 0) return;
  console.log(JSON.stringify({ pages, failed }));
  void agent.close();
}

pump();
