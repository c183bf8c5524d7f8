import { admittedUrlBytesMax } from "../../../src/core/url/canonicalize-url.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeForward,
  decodeForwardReply,
  encodeForward,
  encodeForwardReply,
  forwardBytes,
  forwardUrlsMax,
} from "../../../src/core/messages/forward.ts";
import type { ForwardResult } from "../../../src/core/messages/forward.ts";
import * as wire from "../../../src/core/messages/messages.pb.ts";
import { payloadBytesMax } from "../../../src/core/messages/read-payload.ts";
import type { OutboxEntry } from "../../../src/core/record/record.pb.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { expectSafe } from "./hostile.ts";

const url = fc
  .tuple(fc.constantFrom("a.com", "b.org"), fc.stringMatching(/^[a-z/?=]{0,12}$/))
  .map(([host, path]) => `http://${host}/${path}`);

const entry: fc.Arbitrary<OutboxEntry> = fc.record(
  {
    url,
    depth: fc.nat(100),
    job: fc.constantFrom("news", "shop"),
    redirectChain: fc.array(url, { maxLength: 3 }),
    via: url,
    excluded: fc.constantFrom("nofollow", "depth"),
  },
  { requiredKeys: ["url", "depth", "job", "redirectChain"] },
);

const entries = fc.array(entry, { maxLength: 12 });

const result: fc.Arbitrary<ForwardResult> = fc.oneof(
  fc.constantFrom("new" as const, "known" as const, "rejected" as const),
  fc.constant({ holder: undefined }),
  fc.record({
    holder: fc.record({
      member: fc.constantFrom("peer-a" as MemberId, "peer-b" as MemberId),
      generation: fc.nat(3),
    }),
  }),
);

function entryOf(part: Partial<OutboxEntry>): OutboxEntry {
  return { url: "http://a.com/", depth: 0, job: "j", redirectChain: [], ...part };
}

describe("forwarded URLs", () => {
  it("arrive as they were sent, in their order", () => {
    fc.assert(
      fc.property(entries, (sent) => {
        expect(decodeForward(encodeForward(sent))).toEqual(sent);
      }),
    );
  });

  it("are safe to receive from a stranger", () => {
    const decode = (payload: Uint8Array) =>
      decodeForward(payload)?.filter((one) => one !== "rejected");
    expectSafe(entries.map(encodeForward), decode, encodeForward);
  });

  it("cost little more than what is new in each", () => {
    const via = `http://a.com/${"v".repeat(200)}`;
    const sent = Array.from({ length: 100 }, (_, page) =>
      entryOf({ url: `http://www.example.com/articles/2026/${page}`, via }),
    );
    expect(encodeForward(sent).length).toBeLessThan(100 * 15 + 300);
  });

  it("have no more bytes than is counted of each", () => {
    const numbers = { depth: 0xffff_ffff };
    fc.assert(
      fc.property(entries, (some) => {
        const sent = some.map((one) => ({ ...one, ...numbers }));
        const bytes = sent.map((one, at) => forwardBytes(one, sent[at - 1]));
        const sum = bytes.reduce((all, one) => all + one, 0);
        expect(encodeForward(sent).length).toBeLessThanOrEqual(sum);
      }),
    );
    const url = `http://a.com/${"u".repeat(admittedUrlBytesMax)}`;
    const long = entryOf({ url, via: url, redirectChain: [url, url], excluded: "depth" });
    expect(encodeForward([long]).length).toBeLessThanOrEqual(forwardBytes(long, undefined));
  });

  it("are refused when there are too many", () => {
    const many = Array.from({ length: forwardUrlsMax + 1 }, () => entryOf({}));
    expect(decodeForward(encodeForward(many))).toBeUndefined();
    expect(decodeForward(encodeForward(many.slice(1)))).toHaveLength(forwardUrlsMax);
    const chain = Array.from({ length: 33 }, () => "u");
    expect(decodeForward(encodeForward([entryOf({ redirectChain: chain })]))).toBeUndefined();
  });

  it.each<Partial<OutboxEntry>>([
    { url: "" },
    { url: "u".repeat(admittedUrlBytesMax + 1) },
    { url: "u u" },
    { via: "" },
    { via: "u".repeat(admittedUrlBytesMax + 1) },
    { redirectChain: ["u".repeat(admittedUrlBytesMax + 1)] },
    { job: "No Job" },
    { excluded: "x".repeat(65) },
  ])("are taken but for one that nobody takes (%#)", (wrong) => {
    const [before, after] = [
      entryOf({ url: "http://a.com/1" }),
      entryOf({ url: "http://a.com/2" }),
    ];
    const sent = [before, entryOf(wrong), after];
    expect(decodeForward(encodeForward(sent))).toEqual([before, "rejected", after]);
  });

  it("are refused when little in the message would be much in memory", () => {
    const url = "u".repeat(admittedUrlBytesMax);
    const sent = Array.from({ length: 300 }, () => entryOf({ url }));
    const payload = encodeForward(sent);
    expect(payload.length).toBeLessThan(payloadBytesMax / 100);
    expect(decodeForward(payload)).toBeUndefined();
    expect(decodeForward(encodeForward(sent.slice(50)))).toHaveLength(250);
  });

  it("are refused when they refer to what is not there", () => {
    const base = { jobs: ["j"], vias: ["v"], urls: [] };
    const sound = { job: 0, shared: 0, rest: "u", depth: 0, redirectChain: [] };
    expect(decodeForward(wire.Forward.encode({ ...base, urls: [sound] }))).toHaveLength(1);
    for (const wrong of [{ job: 1 }, { via: 1 }, { shared: 1 }]) {
      const payload = wire.Forward.encode({ ...base, urls: [{ ...sound, ...wrong }] });
      expect(decodeForward(payload)).toBeUndefined();
    }
  });
});

describe("the reply to forwarded URLs", () => {
  const results = fc.array(result, { maxLength: 12 });

  it("says of each what became of it", () => {
    fc.assert(
      fc.property(results, (sent) => {
        expect(decodeForwardReply(encodeForwardReply(sent), sent.length)).toEqual(sent);
      }),
    );
  });

  it("is refused when it is not one result for each URL", () => {
    fc.assert(
      fc.property(results, fc.nat(12), (sent, count) => {
        const reply = decodeForwardReply(encodeForwardReply(sent), count);
        expect(reply !== undefined).toBe(count === sent.length);
      }),
    );
  });

  it("is safe to receive from a stranger", () => {
    const three = fc.array(result, { minLength: 3, maxLength: 3 });
    expectSafe(
      three.map(encodeForwardReply),
      (payload) => decodeForwardReply(payload, 3),
      encodeForwardReply,
    );
  });

  it("is refused when it names a holder that is not in it, or none that is a member", () => {
    const holders = [{ member: "peer-a", generation: 1 }];
    const encode = (code: number, member: string) =>
      wire.ForwardReply.encode({ results: [code], holders: [{ member, generation: 1 }] });
    expect(decodeForwardReply(encode(4, "peer-a"), 1)).toEqual([{ holder: holders[0] }]);
    expect(decodeForwardReply(encode(5, "peer-a"), 1)).toBeUndefined();
    expect(decodeForwardReply(encode(4, ""), 1)).toBeUndefined();
  });
});
