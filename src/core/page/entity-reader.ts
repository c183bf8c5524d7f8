import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** In most values that have an ampersand at all, this finds none. */
const ampersandOfOtherKind = /&(?!amp;)/;

/**
 * Decodes character references where one is needed.
 *
 * The main pass over a page leaves them alone, because most of a page is text that nobody reads; the few values that
 * matter come here and go through a tokenizer of their own, so that the rules are the same (HTML Standard, section
 * 13.2.5.72: in attributes `&copy=` stays as it is).
 */
export class EntityReader implements TokenizerCallbacks {
  readonly #tokenizer = new Tokenizer({ decodeEntities: true }, this);
  #source = "";
  #decoded = "";

  attribute(value: string): string {
    if (!value.includes("&")) return value;
    if (!ampersandOfOtherKind.test(value)) return value.replaceAll("&amp;", "&");
    // No reference reaches over a quote; one for each of a million of them would take seconds.
    return value.replace(/[^"]+/g, (part) =>
      part.includes("&") ? this.#decode(`<a b="${part}">`) : part,
    );
  }

  /** Text of an element that has no child elements, such as `title`. */
  text(text: string): string {
    return text.includes("&") ? this.#decode(text.replaceAll("<", "&lt;")) : text;
  }

  #decode(source: string): string {
    this.#source = source;
    this.#decoded = "";
    this.#tokenizer.reset();
    this.#tokenizer.write(source);
    this.#tokenizer.end();
    return this.#decoded;
  }

  onattribdata(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#decoded += String.fromCodePoint(codePoint);
  }

  ontext(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end);
  }

  ontextentity(codePoint: number): void {
    this.#decoded += String.fromCodePoint(codePoint);
  }

  onattribend(): void {}
  onattribname(): void {}
  oncdata(): void {}
  onclosetag(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onopentagname(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
}
