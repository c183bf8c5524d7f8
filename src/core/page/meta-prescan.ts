import { latin1Text } from "../text/latin1-text.ts";
import { isAsciiSpace } from "./ascii.ts";
import { encodingOfLabel, type EncodingName } from "./encoding-label.ts";
import { encodingOfMetaContent, readableEncoding } from "./meta-encoding.ts";
import { isLetter } from "./tag-syntax.ts";

const exclamation = 0x21;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const dash = 0x2d;
const slash = 0x2f;
const lessThan = 0x3c;
const equals = 0x3d;
const greaterThan = 0x3e;
const question = 0x3f;
const endOfBytes = -1;

interface Attribute {
  readonly name: string;
  readonly value: string;
}

/**
 * Encoding that a document declares in its first bytes, before it is decoded.
 *
 * HTML Standard, section 13.2.3.2, "prescan a byte stream to determine its encoding", step by step; where that ends
 * without a result, "get an XML encoding" of the same bytes.
 */
export function prescanEncoding(bytes: Uint8Array): EncodingName | undefined {
  return utf16XmlDeclaration(bytes) ?? new Prescan(bytes).run() ?? xmlEncoding(bytes);
}

/** `<?x` in UTF-16: the one case in which a declaration may mean UTF-16. */
function utf16XmlDeclaration(bytes: Uint8Array): EncodingName | undefined {
  if (startsWith(bytes, [0x3c, 0, 0x3f, 0, 0x78, 0])) return "utf-16le";
  if (startsWith(bytes, [0, 0x3c, 0, 0x3f, 0, 0x78])) return "utf-16be";
  return undefined;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/** "Get an XML encoding" of the HTML Standard. */
export function xmlEncoding(bytes: Uint8Array): EncodingName | undefined {
  if (bytes[0] !== lessThan || bytes[1] !== question) return undefined;
  const text = latin1Text(bytes, 0, bytes.length);
  if (!text.startsWith("<?xml")) return undefined;
  const end = text.indexOf(">");
  if (end < 0) return undefined;
  const found = /encoding[\0- ]*=[\0- ]*(?:"([^"]*)"|'([^']*)')/.exec(text.slice(0, end));
  const label = found?.[1] ?? found?.[2];
  if (label === undefined || /[\0- ]/.test(label)) return undefined;
  return readableEncoding(encodingOfLabel(label));
}

class Prescan {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): EncodingName | undefined {
    for (; ; this.#position++) {
      this.#skipTo(lessThan);
      if (this.#at(0) === endOfBytes) return undefined;
      if (this.#at(1) === exclamation && this.#at(2) === dash && this.#at(3) === dash) {
        this.#skipComment();
      } else if (this.#atMeta()) {
        this.#position += 5;
        const encoding = this.#metaEncoding();
        if (encoding !== undefined) return encoding;
      } else if (isLetter(this.#at(1)) || (this.#at(1) === slash && isLetter(this.#at(2)))) {
        this.#skipTag();
      } else if ([exclamation, slash, question].includes(this.#at(1))) {
        this.#skipTo(greaterThan);
      }
    }
  }

  #at(offset: number): number {
    return this.#bytes[this.#position + offset] ?? endOfBytes;
  }

  #skipTo(byte: number): void {
    const found = this.#bytes.indexOf(byte, this.#position);
    this.#position = found < 0 ? this.#bytes.length : found;
  }

  /** To the `>` of the first `-->`, whose dashes may be those of the `<!--`. */
  #skipComment(): void {
    this.#position += 4;
    do {
      this.#skipTo(greaterThan);
      if (this.#at(-1) === dash && this.#at(-2) === dash) return;
      this.#position++;
    } while (this.#at(0) !== endOfBytes);
  }

  #atMeta(): boolean {
    const after = this.#at(5);
    return (
      (this.#at(1) | 0x20) === 0x6d &&
      (this.#at(2) | 0x20) === 0x65 &&
      (this.#at(3) | 0x20) === 0x74 &&
      (this.#at(4) | 0x20) === 0x61 &&
      (isAsciiSpace(after) || after === slash)
    );
  }

  #skipTag(): void {
    while (
      !isAsciiSpace(this.#at(0)) &&
      this.#at(0) !== greaterThan &&
      this.#at(0) !== endOfBytes
    ) {
      this.#position++;
    }
    while (this.#attribute() !== undefined);
  }

  #metaEncoding(): EncodingName | undefined {
    const names = new Set<string>();
    let gotPragma = false;
    let gotCharset = false;
    let needPragma: boolean | undefined;
    let encoding: EncodingName | undefined;
    for (let found = this.#attribute(); found !== undefined; found = this.#attribute()) {
      if (names.has(found.name)) continue;
      names.add(found.name);
      if (found.name === "http-equiv") {
        gotPragma = found.value === "content-type";
      } else if (found.name === "content" && !gotCharset) {
        encoding = encodingOfMetaContent(found.value);
        if (encoding !== undefined) needPragma = true;
      } else if (found.name === "charset") {
        encoding = encodingOfLabel(found.value);
        gotCharset = true;
        needPragma = false;
      }
    }
    if (this.#at(0) === endOfBytes) return undefined;
    if (needPragma === undefined || (needPragma && !gotPragma)) return undefined;
    return readableEncoding(encoding);
  }

  /** "Get an attribute"; nothing at the tag's `>` and at the end of the bytes. */
  #attribute(): Attribute | undefined {
    while (isAsciiSpace(this.#at(0)) || this.#at(0) === slash) this.#position++;
    if (this.#at(0) === greaterThan || this.#at(0) === endOfBytes) return undefined;
    const nameStart = this.#position;
    while (!this.#atNameEnd(nameStart)) this.#position++;
    const name = latin1Text(this.#bytes, nameStart, this.#position).toLowerCase();
    this.#skipSpaces();
    if (this.#at(0) !== equals) return { name, value: "" };
    this.#position++;
    this.#skipSpaces();
    return { name, value: this.#value() };
  }

  /** A name may begin with `=`, but not go on with one. */
  #atNameEnd(start: number): boolean {
    const byte = this.#at(0);
    if (byte === equals) return this.#position > start;
    return isAsciiSpace(byte) || byte === slash || byte === greaterThan || byte === endOfBytes;
  }

  #skipSpaces(): void {
    while (isAsciiSpace(this.#at(0))) this.#position++;
  }

  #value(): string {
    const quote = this.#at(0);
    if (quote === doubleQuote || quote === singleQuote) {
      const start = ++this.#position;
      this.#skipTo(quote);
      return latin1Text(this.#bytes, start, this.#position++).toLowerCase();
    }
    const start = this.#position;
    while (
      !isAsciiSpace(this.#at(0)) &&
      this.#at(0) !== greaterThan &&
      this.#at(0) !== endOfBytes
    ) {
      this.#position++;
    }
    return latin1Text(this.#bytes, start, this.#position).toLowerCase();
  }
}
