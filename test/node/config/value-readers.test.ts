import { describe, expect, it } from "vitest";
import {
  addressAndPort,
  byteCount,
  byteCountExamples,
  byteCountText,
  decimalNumber,
  hostAndPort,
  listOf,
  listOrBare,
  onOrOff,
  oneOf,
  jobName,
  jobOption,
  numberOrAsIs,
  peerAddress,
  shown,
  wordsOrAsIs,
  wholeNumber,
  type Reading,
} from "../../../node/config/value-readers.ts";
import { settings } from "../../../node/config/settings.ts";

/** The value, or nothing where the reader refused. */
function valueOf<T>(reading: Reading<T>): T | undefined {
  return reading.ok ? reading.value : undefined;
}

describe("value readers", () => {
  it.each([
    ["0", 0],
    ["42", 42],
    [42, 42],
    ["1,000", 1_000],
    ["1_000", 1_000],
    ["1,0", undefined],
    ["10,00", undefined],
    [" 7 ", 7],
    ["-1", undefined],
    ["1001", undefined],
    [1_001, undefined],
    ["1.5", undefined],
    [1.5, undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["", undefined],
    ["ten", undefined],
    [true, undefined],
    [null, undefined],
    [NaN, undefined],
  ])("reads %j as the whole number %s", (raw, expected) => {
    expect(valueOf(wholeNumber({ min: 0, max: 1_000 })(raw))).toBe(expected);
  });

  it.each([
    ["500", 500],
    [500, 500],
    ["1k", 1_024],
    ["1KB", 1_000],
    ["1.5 KiB", 1_536],
    ["1.001k", 1_025],
    ["9b", 9],
    ["1m", 1_024 ** 2],
    ["1MB", 1_000 ** 2],
    ["1mib", 1_048_576],
    ["1g", 1_024 ** 3],
    ["1GB", 1_000 ** 3],
    ["1GiB", 1_024 ** 3],
    ["0", undefined],
    ["1073741825", undefined],
    ["2GiB", undefined],
    ["1 parsec", undefined],
    ["-1", undefined],
    ["", undefined],
    ["MiB", undefined],
    [1e300, undefined],
    ["1constructor", undefined],
  ])("reads %j as %s bytes", (raw, expected) => {
    expect(valueOf(byteCount({ min: 1, max: 1_024 ** 3 })(raw))).toBe(expected);
  });

  it.each([1, 1_000, 1_024, 1_536, 10 * 1_024 ** 2, 1_024 ** 3])(
    "writes a size of %i bytes as it reads it",
    (bytes) => {
      const text = byteCountText(bytes);
      expect(valueOf(byteCount({ min: 1, max: 1_024 ** 4 })(text))).toBe(bytes);
    },
  );

  it.each(byteCountExamples.split(/, | or /))("gives %s for an example of every size", (text) => {
    for (const name of ["body-max", "warc-size"] as const) {
      expect(settings[name].read(text), name).toMatchObject({ ok: true });
    }
  });

  it.each([
    ["127.0.0.1:7780", { host: "127.0.0.1", port: 7_780 }],
    ["[::1]:53", { host: "::1", port: 53 }],
    ["box.lan:65535", { host: "box.lan", port: 65_535 }],
    ["127.0.0.1:0", undefined],
    ["127.0.0.1:65536", undefined],
    ["127.0.0.1", undefined],
    [":80", undefined],
    ["::1:80", undefined],
    ["http://a:80", undefined],
    [80, undefined],
  ])("reads %j as the address %j", (raw, expected) => {
    expect(valueOf(hostAndPort(1, "127.0.0.1:53")(raw))).toEqual(expected);
  });

  it.each([
    ["127.0.0.1:5300", { host: "127.0.0.1", port: 5_300 }],
    ["[::1]:53", { host: "::1", port: 53 }],
    ["localhost:53", undefined],
    ["999.0.0.1:53", undefined],
    ["127.0.0.1:0", undefined],
    ["127.0.0.1", undefined],
  ])("reads %j as the IP address %j", (raw, expected) => {
    expect(valueOf(addressAndPort("127.0.0.1:53")(raw))).toEqual(expected);
  });

  it("lets port 0 pass where a free port may be taken", () => {
    expect(valueOf(hostAndPort(0, "127.0.0.1:53")("127.0.0.1:0"))).toEqual({
      host: "127.0.0.1",
      port: 0,
    });
  });

  it.each([
    ["1", 1],
    [" 0.5 ", 0.5],
    [0.5, 0.5],
    ["2", 2],
    ["0.49", undefined],
    ["2.01", undefined],
    [2.01, undefined],
    ["1e0", undefined],
    ["0x1", undefined],
    ["-1", undefined],
    ["", undefined],
    [true, undefined],
    [NaN, undefined],
  ])("reads %j as the number %s", (raw, expected) => {
    expect(valueOf(decimalNumber({ min: 0.5, max: 2 })(raw))).toBe(expected);
  });

  it.each([
    ["192.0.2.1:7781", true],
    ["[2001:db8::1]:7781", true],
    ["/ip4/192.0.2.1/tcp/7781", true],
    ["/ip6/2001:db8::1/tcp/7781", true],
    ["/dns/a.example/tcp/7781/p2p/12D3Koo", true],
    ["/dns4/a.example/tcp/7781", true],
    ["/dns6/a.example/tcp/7781", true],
    ["/ip4/192.0.2.1/udp/7781", false],
    ["/ip4/192.0.2.1/tcp/7781/ws", false],
    ["192.0.2.1", false],
    ["192.0.2.1:0", false],
    [7_781, false],
    [`${"a".repeat(507)}:7781`, true],
    [`${"a".repeat(508)}:7781`, false],
  ])("takes %j for a peer's address: %s", (raw, isSound) => {
    expect(peerAddress(1)(raw)).toMatchObject(isSound ? { ok: true, value: raw } : { ok: false });
  });

  it("reads a list that is given bare as an empty one", () => {
    const list = listOrBare(oneOf(["a", "b"]), 3);
    expect([true, "true", "a b", false, "c"].map((raw) => valueOf(list(raw)))).toEqual([
      [],
      [],
      ["a", "b"],
      undefined,
      undefined,
    ]);
  });

  it("shows of a value what fits a line", () => {
    expect(shown("a".repeat(78))).toBe(`"${"a".repeat(78)}"`);
    expect(shown("a".repeat(79))).toBe(`"${"a".repeat(78)}…`);
  });

  it("reads switches and words", () => {
    for (const word of [true, "true", "1", "yes", "on"]) expect(valueOf(onOrOff(word))).toBe(true);
    for (const word of [false, "false", "0", "no", "off"]) {
      expect(valueOf(onOrOff(word))).toBe(false);
    }
    for (const word of ["maybe", 1, ""]) expect(onOrOff(word)).toMatchObject({ ok: false });
    expect(["a", "b", "c", 1].map((raw) => valueOf(oneOf(["a", "b"])(raw)))).toEqual([
      "a",
      "b",
      undefined,
      undefined,
    ]);
  });

  it("leaves the judgement of a job's options and name to the core", () => {
    expect(jobOption("depthMax", numberOrAsIs)("3")).toEqual({ ok: true, value: 3 });
    expect(jobOption("depthMax", numberOrAsIs)("three")).toEqual({
      ok: false,
      problem: 'must be a whole number from 0 to 1,000,000, got "three"',
    });
    expect(jobOption("include", wordsOrAsIs)("^/a /b")).toEqual({ ok: true, value: ["^/a", "/b"] });
    expect(jobOption("include", wordsOrAsIs)("(")).toMatchObject({ ok: false });
    expect(jobName("docs")).toEqual({ ok: true, value: "docs" });
    expect(jobName(2026)).toEqual({ ok: true, value: "2026" });
    expect(jobName("../docs")).toMatchObject({ ok: false });
  });

  it.each([[null], [true], [["docs"]], [[["docs"]]]])("takes no job's name from %j", (raw) => {
    expect(jobName(raw)).toMatchObject({ ok: false });
  });

  it.each([
    ["a b\n a", ["a", "b", "a"]],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    ["", []],
    ["a x", undefined],
    [["a", 1], undefined],
    ["a a a a", undefined],
    [{ 0: "a" }, undefined],
    [null, undefined],
  ])("reads %j as the list %j", (raw, expected) => {
    expect(valueOf(listOf(oneOf(["a", "b"]), 3)(raw))).toEqual(expected);
  });
});
