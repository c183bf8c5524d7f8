import { describe, expect, test } from "vitest";
import { withFittingAddresses } from "../../../sim/sample-web/fitting-addresses.ts";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";

const own = "127.0.0.1";
/** Of a block for documentation (RFC 5737), which no machine has. */
const strange = "192.0.2.1";

describe("addresses of a sample web that fit the machine", () => {
  test("are those of its block where they are the machine's own", async () => {
    expect(await withFittingAddresses(plainSampleWebOptions, own)).toBe(plainSampleWebOptions);
  });

  test("are one for all hosts where they are not", async () => {
    const fitting = await withFittingAddresses(plainSampleWebOptions, strange);
    expect(fitting).toEqual({ ...plainSampleWebOptions, addressing: "one" });
  });

  test("stay as they are where they have to differ, or were chosen", async () => {
    const named = { ...plainSampleWebOptions, naming: "addresses", hostsPerSite: 1 } as const;
    expect(await withFittingAddresses(named, strange)).toBe(named);
    const chosen = { ...plainSampleWebOptions, addressBlock: 10 };
    expect(await withFittingAddresses(chosen, strange)).toBe(chosen);
  });
});
