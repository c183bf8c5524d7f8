import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ChunkJoiner } from "../../../src/adapters/undici/chunk-joiner.ts";
import { ResponseBody } from "../../../src/adapters/undici/response-body.ts";
import type { CollectedBody } from "../../../src/adapters/undici/response-body.ts";
import { parseContentEncoding } from "../../../src/core/net/content-coding.ts";
import type { ContentCoding } from "../../../src/core/net/content-coding.ts";
import type { BodyAccount } from "../../../src/ports/fetcher.ts";
import { defaultFetchLimits } from "../../../src/ports/fetcher.ts";

const readBytes = 64 * 1024;

/** One byte of a read of the socket, as a server has it that sends the rest as the extension of a chunk. */
function byteOfRead(byte: number): Buffer {
  return Buffer.alloc(readBytes, byte).subarray(0, 1);
}

interface Collecting {
  readonly body: ResponseBody;
  readonly collected: Promise<CollectedBody>;
}

/** What a body does not keep any more is none of it. */
class LoneAccount implements BodyAccount {
  bytes = 0;
  hasRoom = true;
  goOn = (): void => undefined;

  take(bytes: number): boolean {
    this.bytes += bytes;
    return this.hasRoom;
  }

  giveBack(bytes: number): void {
    this.bytes -= bytes;
  }

  whenRoom(goOn: () => void): void {
    this.goOn = goOn;
  }
}

function collect(codings: readonly ContentCoding[], account?: BodyAccount): Collecting {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedBody>();
  const sink = {
    onBody: resolve,
    onBodyFailure: reject,
    onBodyWaits: () => undefined,
    onBodyGoesOn: () => undefined,
  };
  return { body: new ResponseBody(codings, defaultFetchLimits, sink, account), collected: promise };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

describe("ResponseBody", () => {
  it("does not keep the reads of which a byte each is in the body", async () => {
    const { body, collected } = collect([]);
    for (let at = 0; at < 4_000; at += 1) body.add(byteOfRead(at));
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(2_000 * readBytes);
    body.complete(undefined);
    const expected = Uint8Array.from({ length: 4_000 }, (_, at) => at);
    expect((await collected).body).toEqual(expected);
  });

  it.each(["gzip", ""])("gives a body that comes byte by byte, coded with %j", async (coding) => {
    const plain = Buffer.from(Array.from({ length: 20_000 }, (_, at) => `${at * at} `).join(""));
    const coded = coding === "" ? plain : gzipSync(plain);
    const { body, collected } = collect(parseContentEncoding(coding) ?? []);
    for (let at = 0; at < coded.length; at += 1) body.add(coded.subarray(at, at + 1));
    body.complete(undefined);
    const given = await collected;
    expect(Buffer.from(given.body).equals(plain)).toBe(true);
    expect(Buffer.from(given.encodedBody).equals(coded)).toBe(true);
  });
});

describe("ResponseBody with an account", () => {
  const gzip = parseContentEncoding("gzip") ?? [];
  const coded = gzipSync(randomBytes(500_000)).subarray(0, -6);

  it("counts what it has decoded twice only once", async () => {
    const account = new LoneAccount();
    const { body, collected } = collect(gzip, account);
    body.add(coded);
    body.complete(undefined);
    const given = await collected;
    expect(given.truncation).toBe("disconnect");
    expect(given.body.length).toBe(500_000);
    expect(account.bytes).toBe(coded.length + 500_000);
  });

  it("decodes no more of a body that breaks off while there is no room, until there is", async () => {
    const account = new LoneAccount();
    account.hasRoom = false;
    const [waiting, other] = [collect(gzip, account), collect(gzip)];
    for (const { body } of [waiting, other]) {
      body.add(coded);
      body.cut("disconnect");
    }
    await other.collected;
    expect(account.bytes).toBeLessThan(coded.length + 500_000);
    account.hasRoom = true;
    account.goOn();
    expect((await waiting.collected).body.length).toBe(500_000);
  });

  it("counts what a small body decodes to", async () => {
    const small = gzipSync(Buffer.alloc(10_000, "a"));
    const account = new LoneAccount();
    const { body, collected } = collect(gzip, account);
    body.add(small);
    body.complete(undefined);
    await collected;
    expect(account.bytes).toBe(small.length + 10_000);
  });
});

describe("ChunkJoiner", () => {
  it("makes one piece of many small chunks, and none of a large one", () => {
    const joiner = new ChunkJoiner();
    const large = Buffer.alloc(readBytes);
    expect(joiner.add(large)).toBe(large);
    const pieces: (Buffer | undefined)[] = [];
    for (let at = 0; at < 1_000; at += 1) pieces.push(joiner.add(byteOfRead(at)));
    pieces.push(joiner.rest());
    const lengths = pieces.flatMap((piece) => piece?.length ?? []);
    expect(lengths).toEqual([128, 128, 128, 128, 128, 128, 128, 104]);
    expect(joiner.rest()).toBeUndefined();
  });
});
