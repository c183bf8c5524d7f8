import { describe, expect, it } from "vitest";
import { ringPosition } from "../../src/core/record/host-keys.ts";
import { positionOf } from "../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, SiteName } from "../../src/core/units.ts";
import { HostPlaces } from "../../src/peer/host-places.ts";
import { heapBytes } from "../support/heap-bytes.ts";

describe("HostPlaces", () => {
  it("tells a host's site and where that stands, again and again", () => {
    const places = new HostPlaces();
    const site = "example.co.uk" as SiteName;
    const expected = { site, position: positionOf(site), keyPosition: ringPosition(site) };
    for (const host of ["www.example.co.uk", "docs.example.co.uk", "www.example.co.uk"]) {
      for (const url of [`https://${host}/a`, `https://${host}/b`, `http://${host}:8080/`]) {
        expect(places.of(url as CanonicalUrl)).toEqual({ host, ...expected });
      }
    }
  });

  it("keeps no more of a page than the name of a host", () => {
    const pageBytes = 1_000_000;
    const places = new HostPlaces();
    const before = heapBytes();
    const kept = Array.from({ length: 100 }, (_, number) => {
      // One piece, as links come from a parser's thread.
      const bytes = Buffer.from(`http://host-${number}.example/`.padEnd(pageBytes, "x"), "latin1");
      const text = bytes.toString("latin1");
      return places.of(text.slice(0, 40) as CanonicalUrl);
    });
    expect(heapBytes() - before).toBeLessThan((kept.length * pageBytes) / 2);
  });
});
