import { withReadableHead } from "./readable-head.ts";

/** What undici calls the symbol under which a socket has its parser. */
const parserSymbolName = "parser";

/** Switches of llhttp that make it read what browsers and curl read. */
const leniencies = [
  // Folded values (RFC 9112, section 5.2) and control characters in values.
  "llhttp_set_lenient_headers",
  // Lines that end with LF alone (RFC 9112, section 2.2).
  "llhttp_set_lenient_optional_cr_before_lf",
  // Chunk sizes that are padded, as some servers write them.
  "llhttp_set_lenient_spaces_after_chunk_size",
] as const;

/** With it what stands behind a message is the next one, even where that says that the connection ends. */
const goingOn = "llhttp_set_lenient_keep_alive";

/** With it a length beside chunks is no error. */
const lengthBesideChunks = "llhttp_set_lenient_chunked_length";

/** Those of llhttp's answers that undici does not pass on. */
const versionParts = ["llhttp_get_http_major", "llhttp_get_http_minor"] as const;

/** Tells that the body is all that comes until the connection ends: neither a length nor chunks were seen. */
const endsWithConnection = "llhttp_message_needs_eof";

type Llhttp = Record<
  (typeof leniencies)[number] | typeof goingOn | typeof lengthBesideChunks,
  (ptr: number, on: 0 | 1) => void
> &
  Record<(typeof versionParts)[number] | typeof endsWithConnection, (ptr: number) => number>;

/** What is used of the parser for HTTP/1 that undici keeps on a socket. */
interface Parser {
  readonly llhttp: Readonly<Llhttp>;
  readonly ptr: number;
  /** Name, value, name, value. */
  readonly headers: Buffer[];
  /** -1 where the head names none; what a trailer names is written over it. */
  contentLength: number;
  /** 0 outside of messages and within a head. */
  readonly statusCode: number;
  /** Empty when a message begins. */
  statusText: string;
  /** Is given the reason phrase, or the next piece of it. */
  onStatus(piece: Buffer): number;
  /** Counts towards the largest head that is taken. */
  trackHeader(bytes: number): void;
  execute(chunk: Buffer): void;
  onHeadersComplete(status: number, upgrade: boolean, shouldKeepAlive: boolean): number;
  /** Is given a field's value, or the next piece of it, of a head or of a trailer. */
  onHeaderValue(piece: Buffer): number;
  /** Comes before anything else of a response, informational ones among them. */
  onMessageBegin(): number;
}

/** Those of a {@link Parser}. */
const methods = [
  "execute",
  "onHeaderValue",
  "onHeadersComplete",
  "onMessageBegin",
  "onStatus",
  "trackHeader",
] as const;

/** RFC 8297's status stands for every informational response that says nothing to a client that asked for none. */
const informationalStatus = 103;

/** What a parser's callback returns where the response cannot be read. */
const parsingFailed = -1;

/**
 * Makes the parser of a connected socket read responses that break the rules without being ambiguous, and pass over a
 * `100 Continue` that nobody asked for, and whatever an informational response says of the connection's end (RFC 9110,
 * section 15.2): the response that counts is still to come. Nor does a trailer end the connection, or say how long the
 * body is (section 6.5.1). What is ambiguous, a length beside chunks in a head for instance, stays an error, and chunks
 * that llhttp would take for the body itself become one; one length that is named several times is not ambiguous, and a
 * line that is no field says nothing. The reason phrase is read as all of the head is, byte by byte as ISO-8859-1.
 * `onVersion` is told the version of HTTP that a head names, before the head is passed on.
 *
 * undici has no option for this, so its parser is taken from where the socket has it. Where that is not as expected,
 * nothing is changed and the result is false: such responses are then `bad-framing`, as undici alone has it.
 */
export function parseLeniently(socket: object, onVersion: (version: string) => void): boolean {
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === parserSymbolName,
  );
  const parser: unknown = symbol && Reflect.get(socket, symbol);
  if (!isParser(parser)) return false;
  for (const leniency of leniencies) parser.llhttp[leniency](parser.ptr, 1);
  const execute = parser.execute.bind(parser);
  parser.execute = (chunk) => execute(parser.statusCode === 0 ? withReadableHead(chunk) : chunk);
  parser.onStatus = (piece) => {
    parser.statusText += piece.toString("latin1");
    // undici would let it be of any length.
    parser.trackHeader(piece.length);
    return 0;
  };
  passOverTrailers(parser);
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) => {
    tightenNames(parser);
    if (hidesChunks(parser)) return parsingFailed;
    parser.contentLength = contentLengthOf(parser);
    onVersion(versionOf(parser));
    // Behind a head that lets the connection stay, only a trailer can end it, which has no say in that.
    parser.llhttp[goingOn](parser.ptr, status < 200 || shouldKeepAlive ? 1 : 0);
    // Nor can anything but a trailer name a length.
    parser.llhttp[lengthBesideChunks](parser.ptr, 1);
    return complete(status === 100 ? informationalStatus : status, upgrade, shouldKeepAlive);
  };
  return true;
}

/** Of a length, llhttp is strict until a head has come whole; undici would compare one in a trailer with that of the body. */
function passOverTrailers(parser: Parser): void {
  const begin = parser.onMessageBegin.bind(parser);
  parser.onMessageBegin = () => {
    parser.llhttp[lengthBesideChunks](parser.ptr, 0);
    return begin();
  };
  const takeValue = parser.onHeaderValue.bind(parser);
  parser.onHeaderValue = (piece) => {
    const result = takeValue(piece);
    // Behind a head only chunks have fields, and their body has no length.
    if (parser.statusCode !== 0) parser.contentLength = -1;
    return result;
  };
}

function versionOf({ llhttp, ptr }: Parser): string {
  return versionParts.map((part) => llhttp[part](ptr)).join(".");
}

/** White space behind a field's name is none of it (RFC 9112, section 5.1); a head that came in pieces may still have some. */
function tightenNames({ headers }: Parser): void {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name !== undefined && isBlank(name.at(-1))) {
      headers[at] = Buffer.from(name.toString("latin1").trimEnd(), "latin1");
    }
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

/**
 * Whether llhttp has missed that the body comes in chunks (RFC 9112, section 6.1): since a tab or a comma stands behind that,
 * or since it stands in a folded line. Of a head that came whole, and without odd lines, those have been taken away
 * (`withReadableHead`).
 */
function hidesChunks({ headers, llhttp, ptr }: Parser): boolean {
  const codings = headers.filter((_, at) => at % 2 === 1 && isCoding(headers[at - 1]));
  if (codings.length === 0 || llhttp[endsWithConnection](ptr) === 0) return false;
  const named = codings.flatMap((value) => value.toString("latin1").toLowerCase().split(","));
  return named.findLast((coding) => coding.trim() !== "")?.trim() === "chunked";
}

function isCoding(name: Buffer | undefined): boolean {
  const text = "transfer-encoding";
  return name?.length === text.length && name.toString("latin1").toLowerCase() === text;
}

/** White space behind the digits is no part of the value (RFC 9110, section 5.5); undici computes with it. */
function contentLengthOf({ headers, contentLength }: Parser): number {
  if (contentLength === -1) return -1;
  const at = headers.findIndex((part, index) => index % 2 === 0 && isContentLength(part));
  const value = /^[0-9]+(?=[\t ]*$)/.exec(headers[at + 1]?.toString("latin1") ?? "")?.[0];
  return value === undefined ? contentLength : Number(value);
}

function isContentLength(name: Buffer): boolean {
  const text = "content-length";
  return name.length === text.length && name.toString("latin1").toLowerCase() === text;
}

function isParser(value: unknown): value is Parser {
  if (!isObject(value) || typeof value["ptr"] !== "number") return false;
  const { contentLength, headers, llhttp, statusCode, statusText } = value;
  if (typeof contentLength !== "number" || !Array.isArray(headers)) return false;
  if (typeof statusCode !== "number") return false;
  if (typeof statusText !== "string" || !isObject(llhttp)) return false;
  if (!methods.every((method) => typeof value[method] === "function")) return false;
  return [...leniencies, goingOn, lengthBesideChunks, ...versionParts, endsWithConnection].every(
    (name) => typeof llhttp[name] === "function",
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
