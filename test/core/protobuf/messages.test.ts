import fc from "fast-check";
import * as runtime from "protons-runtime";
import type { Codec } from "protons-runtime";
import { describe, expect, it } from "vitest";
import { RangeDigests } from "../../../src/core/messages/messages.pb.ts";
import { MalformedMessage } from "../../../src/core/protobuf/malformed-message.ts";
import { MessageReader } from "../../../src/core/protobuf/message-reader.ts";
import { MessageWriter } from "../../../src/core/protobuf/message-writer.ts";
import { HostRecord, QueueRow, UrlRecord } from "../../../src/core/record/record.pb.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  // Longer than what small messages share.
  fc.integer({ min: 8_000, max: 9_000 }).map((length) => "a".repeat(length)),
);
const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const small = fc.nat({ max: 0xffff_ffff });
const real = fc.double({ noNaN: true });

const queueRow = fc.record(
  {
    url: text,
    depth: small,
    attempts: small,
    redirectChain: fc.array(text, { maxLength: 3 }),
    via: text,
    discoveredAtMs: whole,
    viaShared: small,
    viaRest: text,
  },
  { requiredKeys: ["url", "depth", "attempts", "redirectChain", "discoveredAtMs", "viaShared"] },
);

const hostRecord = fc.record(
  {
    host: text,
    nextFetchAtMs: real,
    failuresInRow: small,
    breakerBuckets: fc.array(fc.record({ startAtMs: real, total: small, failed: small }), {
      maxLength: 20,
    }),
    jobs: fc.array(fc.record({ space: small, admitted: small }), { maxLength: 40 }),
    crawlDelayMs: real,
  },
  { requiredKeys: ["host", "nextFetchAtMs", "failuresInRow", "breakerBuckets", "jobs"] },
);

const location = fc.record({ file: text, offset: whole, length: small });

const urlRecord = fc.record({
  state: small,
  url: text,
  fetchedAtMs: whole,
  attempts: small,
  httpStatus: small,
  depth: small,
  bodyBytes: whole,
  title: text,
  capture: location,
  truncated: fc.boolean(),
  noindex: fc.boolean(),
});

const rangeDigests = fc.record({
  arcs: fc.uint8Array({ maxLength: 20_000 }),
  tag: small,
  after: fc.uint8Array({ maxLength: 40 }),
  buckets: fc.array(
    fc.record({
      lastKey: fc.uint8Array({ maxLength: 40 }),
      count: small,
      // The runtime reads the upper half as negative numbers.
      hash: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    }),
    { maxLength: 300 },
  ),
});

interface Message<Value> {
  encode(value: Partial<Value>): Uint8Array;
  decode(bytes: Uint8Array): Value;
  codec(): Codec<Value>;
}

function agrees<Value>(message: Message<Value>, values: fc.Arbitrary<Partial<Value>>): void {
  const held: { readonly bytes: Uint8Array; readonly copy: Uint8Array }[] = [];
  fc.assert(
    fc.property(values, (value) => {
      const bytes = message.encode(value);
      const expected = runtime.encodeMessage(value, message.codec());
      expect(Buffer.compare(bytes, expected)).toBe(0);
      expect(message.decode(expected)).toEqual(runtime.decodeMessage(expected, message.codec()));
      held.push({ bytes, copy: Uint8Array.from(bytes) });
    }),
    { numRuns: 300 },
  );
  // What has been written once stays as it is.
  expect(held.every(({ bytes, copy }) => Buffer.compare(bytes, copy) === 0)).toBe(true);
}

describe("messages", () => {
  it("are the bytes that the runtime of the generated code writes, and read as it reads them", () => {
    agrees(QueueRow, queueRow);
    agrees(HostRecord, hostRecord);
    agrees(UrlRecord, urlRecord);
    agrees(RangeDigests, rangeDigests);
  });

  it("have hashes of 64 bits", () => {
    const hash = 2n ** 64n - 1n;
    const bytes = RangeDigests.encode({ buckets: [{ lastKey: new Uint8Array(), count: 1, hash }] });
    expect(RangeDigests.decode(bytes).buckets[0]?.hash).toBe(hash);
  });

  it("are read to their end and not beyond, wherever they are cut off", () => {
    fc.assert(
      fc.property(urlRecord, fc.nat({ max: 400 }), (record, cut) => {
        const bytes = UrlRecord.encode(record);
        const part = bytes.subarray(0, Math.min(cut, bytes.length - 1));
        const read = outcomeOf(() => UrlRecord.decode(part));
        // What stands behind it in the same buffer makes no difference.
        expect(read).toEqual(outcomeOf(() => UrlRecord.decode(Uint8Array.from(part))));
      }),
      { numRuns: 500 },
    );
  });

  it("of any bytes are a message or a MalformedMessage", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const message of [UrlRecord, HostRecord, RangeDigests]) {
          outcomeOf((): unknown => message.decode(bytes));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("can be written after one that could not", () => {
    expect(() => UrlRecord.encode({ url: "a", fetchedAtMs: -1 })).toThrow(RangeError);
    expect(UrlRecord.decode(UrlRecord.encode({ url: "b" })).url).toBe("b");
  });

  it("pass over fields that nobody knows", () => {
    const known = [0x20, 7];
    const fields = [
      [0xf8, 7, 0x80, 1],
      [0xf9, 7, ...Array<number>(8).fill(1)],
      [0xfa, 7, 2, 1, 1],
      [0xfd, 7, 1, 1, 1, 1],
    ];
    for (const field of fields) {
      const bytes = Uint8Array.from([...field, ...known].map(Number));
      expect(UrlRecord.decode(bytes).attempts).toBe(7);
    }
  });
});

describe("MessageReader", () => {
  it.each([
    ["a number without an end", [0x80, 0x80]],
    ["a number of more than 64 bits", Array<number>(11).fill(0xff)],
    ["a number of more than 53 bits", [...Array<number>(7).fill(0xff), 0x7f, 0x01]],
  ])("refuses %s", (_, bytes) => {
    const reader = new MessageReader(Uint8Array.from(bytes));
    expect(() => reader.uint64Number()).toThrow(MalformedMessage);
  });

  it("reads what is no UTF-8 as U+FFFD", () => {
    expect(new MessageReader(Uint8Array.of(2, 0x61, 0xff)).string()).toBe("a\ufffd");
  });
});

describe("MessageWriter", () => {
  it("writes what is no text as U+FFFD", () => {
    const writer = new MessageWriter();
    writer.begin();
    const bytes = writer.string("a\ud800").string("\ud800".repeat(40)).finish();
    const reader = new MessageReader(bytes);
    expect([reader.string(), reader.string()]).toEqual(["a\ufffd", "\ufffd".repeat(40)]);
  });
});

/** What `read` returns, or that it refuses the bytes; any other error is the test's. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedMessage) return "refused";
    throw error;
  }
}
