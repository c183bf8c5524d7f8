import { describe, expect, it } from "vitest";
import { parseLeniently } from "../../../src/adapters/undici/lenient-parsing.ts";
import { withReadableHead } from "../../../src/adapters/undici/readable-head.ts";
import { failureOfOutcome, requestTo, responseOf } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

const parser = Symbol("parser");

interface FakeParser {
  statusCode: number;
  readonly statusText: string;
  readonly headers: Buffer[];
  readonly llhttp: Readonly<Record<string, unknown>>;
  /** Bytes of the head, piece by piece. */
  readonly tracked: number[];
  /** What it was given to parse. */
  readonly parsed: string[];
  readonly execute: (chunk: Buffer) => void;
  readonly onHeadersComplete: (status: number) => number;
  readonly onStatus: (piece: Buffer) => number;
}

/** A parser that notes how switches are set, with these alone. */
function parserWith(names: readonly string[], set: string[] = []): FakeParser {
  const flip = (name: string) => (_ptr: number, on: number) => set.push(`${name} ${on}`);
  const switches = Object.fromEntries(names.map((name) => [name, flip(name)]));
  const llhttp = {
    ...switches,
    llhttp_get_http_major: () => 1,
    llhttp_get_http_minor: () => 0,
    llhttp_message_needs_eof: () => 0,
  };
  const [tracked, parsed]: [number[], string[]] = [[], []];
  const state = { ptr: 1, llhttp, headers: [], contentLength: -1, statusCode: 0, statusText: "" };
  const methods = {
    execute: (chunk: Buffer) => void parsed.push(chunk.toString("latin1")),
    onHeadersComplete: (status: number) => status,
    onStatus: () => 0,
    trackHeader: (bytes: number) => tracked.push(bytes),
  };
  return { ...state, ...methods, tracked, parsed };
}

const always = [
  "llhttp_set_lenient_headers",
  "llhttp_set_lenient_optional_cr_before_lf",
  "llhttp_set_lenient_spaces_after_chunk_size",
];
const goingOn = "llhttp_set_lenient_keep_alive";
const known = [...always, goingOn];

const ignore = (): void => undefined;

describe("lenient parsing", () => {
  it("sets what it asks for, tells versions, and takes 100 for one of the informational responses", () => {
    const set: string[] = [];
    const socket = { [parser]: parserWith(known, set) };
    const versions: string[] = [];
    expect(parseLeniently(socket, (version) => versions.push(version))).toBe(true);
    expect(set.splice(0)).toEqual(always.map((name) => `${name} 1`));
    const complete = socket[parser].onHeadersComplete;
    expect([100, 102, 200].map((status) => complete(status))).toEqual([103, 102, 200]);
    expect(versions).toEqual(["1.0", "1.0", "1.0"]);
    expect(set).toEqual([1, 1, 0].map((on) => `${goingOn} ${on}`));
  });

  it("joins the pieces of a reason phrase as bytes, and counts them towards the head", () => {
    const patched = parserWith(known);
    expect(parseLeniently({ [parser]: patched }, ignore)).toBe(true);
    for (const piece of ["Tr\xe8", "s bien"]) patched.onStatus(Buffer.from(piece, "latin1"));
    expect(patched.statusText).toBe("Tr\xe8s bien");
    expect(patched.tracked).toEqual([3, 6]);
  });

  it("takes white space behind a field's name for none of it", () => {
    const patched = parserWith(known);
    expect(parseLeniently({ [parser]: patched }, ignore)).toBe(true);
    for (const part of ["Transfer-Encoding \t", "chunked ", "A", "\t"]) {
      patched.headers.push(Buffer.from(part));
    }
    patched.onHeadersComplete(200);
    expect(patched.headers.map(String)).toEqual(["Transfer-Encoding", "chunked ", "A", "\t"]);
  });

  it("takes a length that is named twice for one, in a head but not in a body", () => {
    const patched = parserWith(known);
    expect(parseLeniently({ [parser]: patched }, ignore)).toBe(true);
    const chunk = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx");
    patched.execute(chunk);
    patched.statusCode = 200;
    patched.execute(chunk);
    expect(patched.parsed).toEqual([withReadableHead(chunk).toString(), chunk.toString()]);
    expect(patched.parsed[0]).not.toBe(patched.parsed[1]);
  });

  it("leaves everything as it is where the parser is not what it was", () => {
    const set: string[] = [];
    for (const names of [known.slice(1), always]) {
      const incomplete = parserWith(names, set);
      const untouched = { ...incomplete };
      expect(parseLeniently({ [parser]: incomplete }, ignore)).toBe(false);
      expect(set).toEqual([]);
      expect(incomplete).toEqual(untouched);
    }
    const whole = parserWith(known, set);
    for (const part of ["contentLength", "headers", "llhttp", "statusCode", "statusText"]) {
      expect(parseLeniently({ [parser]: { ...whole, [part]: undefined } }, ignore)).toBe(false);
    }
    for (const method of ["execute", "onHeadersComplete", "onStatus", "trackHeader"]) {
      expect(parseLeniently({ [parser]: { ...whole, [method]: 1 } }, ignore)).toBe(false);
    }
    for (const answer of ["get_http_major", "get_http_minor", "message_needs_eof"]) {
      const llhttp = { ...whole.llhttp, [`llhttp_${answer}`]: undefined };
      expect(parseLeniently({ [parser]: { ...whole, llhttp } }, ignore)).toBe(false);
    }
    expect(set).toEqual([]);
    for (const other of [undefined, null, 1, {}, { ptr: 1 }, { ptr: 1, llhttp: {} }]) {
      expect(parseLeniently({ [parser]: other }, ignore)).toBe(false);
    }
    expect(parseLeniently({}, ignore)).toBe(false);
  });
});

describe("chunks that are named oddly in a head with a folded line", () => {
  const asked = async (coding: string): Promise<unknown> => {
    const harness = new HttpHarness();
    const site = await harness.raw((socket) => {
      const head = `HTTP/1.1 200 OK\r\nX: y\r\n folded\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      socket.end(`${head}2\r\nab\r\n0\r\n\r\n`);
    });
    const outcome = await harness.fetch(requestTo(site, "/"));
    await harness.stop();
    if (outcome.kind === "failure") return failureOfOutcome(outcome);
    return new TextDecoder().decode(responseOf(outcome).body);
  };

  const odd = ["chunked\t", "chunked ,", "gzip, Chunked,\t"];
  const folded = ["chunked\r\n ", "gzip,\r\n chunked", "chunked\r\nTransfer-Encoding: ,"];

  it.each([...odd, ...folded])("are no body: %j", async (coding) => {
    expect(await asked(coding)).toBe("bad-framing");
  });

  it.each(["chunked ", ", chunked", "\r\n chunked"])(
    "are read where they are named well: %j",
    async (coding) => {
      expect(await asked(coding)).toBe("ab");
    },
  );
});

describe("a trailer that ends the connection", () => {
  it("does not spoil the answer to the next request", async () => {
    const harness = new HttpHarness();
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = `${head}1\r\nx\r\n0\r\nConnection: close\r\n\r\n`;
    let heads = 0;
    const site = await harness.raw((socket) => {
      heads += 1;
      socket.write(answer);
    });
    const outcomes = [await harness.fetch(requestTo(site, "/1"))];
    outcomes.push(await harness.fetch(requestTo(site, "/2")));
    expect(outcomes.map(failureOfOutcome)).toEqual(["response 200", "response 200"]);
    expect([heads, harness.openSockets]).toEqual([2, 1]);
    await harness.stop();
  });
});
