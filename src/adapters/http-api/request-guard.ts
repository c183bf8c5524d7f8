import { isIP } from "node:net";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Says why a request must not be served, or nothing.
 *
 * The API commands a peer and asks for no password, because only this machine reaches it. A browser on this machine
 * does too, and runs other people's pages. Three checks keep those out: the Host header must name this machine (a name
 * that was rebound to 127.0.0.1 does not), an Origin header must be the API's own, and where a browser says that
 * another site makes the request, it is refused even without an Origin.
 */
export function refusal(headers: IncomingHttpHeaders, listenHost: string): string | undefined {
  const { host, origin } = headers;
  if (host === undefined || !isOwnHost(hostNameOf(host), listenHost)) {
    const own = isEveryAddress(listenHost) ? "an IP address" : listenHost;
    const trusted = [...new Set(["localhost", own])].join(" or ");
    return `the Host header has no name that is trusted; ask by ${trusted}, or have the peer listen to that name`;
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return "the Origin header is not this API's own";
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return "another site's page makes this request";
  }
  return undefined;
}

/** Whether `host` is the name or address of this machine's own loopback interface. */
export function isLoopback(host: string): boolean {
  const name = unbracketed(host.toLowerCase());
  if (name === "localhost" || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

function isOwnHost(host: string | undefined, listenHost: string): boolean {
  if (host === undefined) return false;
  if (isLoopback(host)) return true;
  // Listening on all addresses, any of them may be named, but no name: names are what can be rebound.
  return isEveryAddress(listenHost)
    ? isIP(host) !== 0
    : host === unbracketed(listenHost.toLowerCase());
}

function isEveryAddress(listenHost: string): boolean {
  return ["0.0.0.0", "::"].includes(unbracketed(listenHost));
}

/** The host of a Host header, lower-case and without brackets; nothing where it is malformed. */
function hostNameOf(header: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header);
  return match?.[1] === undefined ? undefined : unbracketed(match[1].toLowerCase());
}

function unbracketed(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
