import type { Socket } from "node:net";
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
  readonly onHeaderValue: (piece: Buffer) => number;
  readonly onHeadersComplete: (status: number) => number;
  readonly onMessageBegin: () => number;
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
    onHeaderValue: () => 0,
    onHeadersComplete: (status: number) => status,
    onMessageBegin: () => 0,
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
const lengthBesideChunks = "llhttp_set_lenient_chunked_length";
const known = [...always, goingOn, lengthBesideChunks];

const methods = [
  "execute",
  "onHeaderValue",
  "onHeadersComplete",
  "onMessageBegin",
  "onStatus",
  "trackHeader",
];

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
    const keptAlive = set.filter((change) => change.startsWith(goingOn));
    expect(keptAlive).toEqual([1, 1, 0].map((on) => `${goingOn} ${on}`));
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

  it("is strict about a length beside chunks within each head, and behind none", () => {
    const set: string[] = [];
    const patched = parserWith(known, set);
    expect(parseLeniently({ [parser]: patched }, ignore)).toBe(true);
    set.splice(0);
    for (const status of [103, 200]) {
      expect([patched.onMessageBegin(), patched.onHeadersComplete(status)]).toEqual([0, status]);
    }
    const lengths = set.filter((change) => change.startsWith(lengthBesideChunks));
    expect(lengths).toEqual([0, 1, 0, 1].map((on) => `${lengthBesideChunks} ${on}`));
  });

  it("leaves everything as it is where the parser is not what it was", () => {
    const set: string[] = [];
    for (const names of [known.slice(1), always, [...always, goingOn]]) {
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
    for (const method of methods) {
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

describe("a trailer that names a length", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
  const chunks = "5\r\nnight\r\n0\r\n";
  const rest = (length: number): string => `Content-Length: ${length}\r\n\r\n`;

  /** What comes of three requests; the third answer has a length beside chunks in its head. */
  const asked = async (
    answer: (socket: Socket) => void,
  ): Promise<{ readonly outcomes: string[]; readonly sockets: number }> => {
    const harness = new HttpHarness();
    const sockets = new Set<Socket>();
    let heads = 0;
    const site = await harness.raw((socket) => {
      sockets.add(socket);
      heads += 1;
      if (heads < 3) answer(socket);
      else socket.write(`${head}${rest(5)}${chunks}\r\n`);
    });
    const outcomes: string[] = [];
    for (const path of ["/1", "/2", "/3"]) {
      const outcome = await harness.fetch(requestTo(site, path));
      const isFailure = outcome.kind === "failure";
      outcomes.push(
        isFailure ? failureOfOutcome(outcome) : new TextDecoder().decode(responseOf(outcome).body),
      );
    }
    await harness.stop();
    return { outcomes, sockets: sockets.size };
  };

  const onOneConnection = { outcomes: ["night", "night", "bad-framing"], sockets: 1 };

  it.each([5, 17, 0])("has no say, right or wrong, but a head has: %i", async (length) => {
    const whole = await asked((socket) => socket.write(`${head}\r\n${chunks}${rest(length)}`));
    expect(whole).toEqual(onOneConnection);
  });

  it("has none where it comes later and in pieces", async () => {
    const pieces = [`${head}\r\n${chunks}`, "Content-Le", "ngth: 1", "7\r", "\n\r\n"];
    const inPieces = await asked((socket) => {
      socket.setNoDelay(true);
      const [first = "", ...later] = pieces;
      socket.write(first);
      // One piece a turn, so that none is joined with the one before it.
      const timer = setInterval(() => {
        const piece = later.shift();
        if (piece === undefined) clearInterval(timer);
        else socket.write(piece);
      }, 10);
    });
    expect(inPieces).toEqual(onOneConnection);
  });
});
