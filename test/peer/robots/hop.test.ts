import { expect, it } from "vitest";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { Hop } from "../../../src/peer/robots/hop.ts";
import { heapBytes } from "../../support/heap-bytes.ts";

it("keeps no more of the URL that it leads to than the name of the host", () => {
  const urlBytes = 16_384;
  const before = heapBytes();
  const names = Array.from({ length: 1_000 }, (_, number) => {
    const bytes = Buffer.from(`http://host-${number}.example/`.padEnd(urlBytes, "x"), "latin1");
    const url = bytes.toString("latin1") as CanonicalUrl;
    return new Hop({} as Lease, url, () => Promise.resolve({ kind: "no-turn" })).name;
  });
  expect(heapBytes() - before).toBeLessThan((names.length * urlBytes) / 2);
  expect(names[7]).toBe("host-7.example");
});
