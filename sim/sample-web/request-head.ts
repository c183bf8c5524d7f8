/** The parts of an HTTP/1.1 request head that the sample server uses. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Host header without the port, in lower case. */
  readonly host: string;
  readonly userAgent: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
  readonly keepAlive: boolean;
  /** Whether a body is announced; the server takes none. */
  readonly hasBody: boolean;
}

/** Reads a head (without its final empty line); undefined where it is none. */
export function parseRequestHead(text: string): RequestHead | undefined {
  const lines = text.split("\r\n");
  const match = /^([A-Z]+) (\/[^ ]*) HTTP\/1\.([01])$/.exec(lines[0] ?? "");
  if (match === null) return undefined;
  const [, method = "", path = "/", minor = "0"] = match;
  let host = "";
  let userAgent = "";
  let acceptEncoding = "";
  let ifNoneMatch = "";
  let connection = minor === "1" ? "keep-alive" : "close";
  let hasBody = false;
  for (let number = 1; number < lines.length; number += 1) {
    const line = lines[number] ?? "";
    const colon = line.indexOf(":");
    if (colon < 1) return undefined;
    const value = line.slice(colon + 1).trim();
    switch (line.slice(0, colon).toLowerCase()) {
      case "host":
        host = value.replace(/:\d*$/, "").toLowerCase();
        break;
      case "user-agent":
        userAgent = value;
        break;
      case "accept-encoding":
        acceptEncoding = value.toLowerCase();
        break;
      case "if-none-match":
        ifNoneMatch = value;
        break;
      case "connection":
        connection = value.toLowerCase();
        break;
      case "content-length":
        hasBody ||= value !== "0";
        break;
      case "transfer-encoding":
        hasBody = true;
        break;
    }
  }
  const keepAlive = connection !== "close";
  return { method, path, host, userAgent, acceptEncoding, ifNoneMatch, keepAlive, hasBody };
}
