/**
 * The only globals that `core` may use beyond the language itself: WHATWG interfaces that are pure functions of their
 * arguments. Everything else of the platform is absent here, so that an impurity does not compile.
 */

declare class URLSearchParams {
  constructor(init?: string);
  append(name: string, value: string): void;
  get(name: string): string | null;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

declare class URL {
  constructor(input: string, base?: string | URL);
  static canParse(input: string, base?: string): boolean;
  static parse(input: string, base?: string | URL): URL | null;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  host: string;
  hostname: string;
  href: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  username: string;
  toString(): string;
}

declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

declare function structuredClone<T>(value: T): T;
