import { expect, it } from "vitest";
import { after } from "../../../src/core/record/key-ranges.ts";
import { namedKey } from "../../../src/core/record/named-keys.ts";
import { ArchiveMarkRecord } from "../../../src/core/record/record.pb.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

it("counts all bytes that it has appended to the archive, those of the requests too", async () => {
  const machine = new VirtualPeer(() => htmlPage("/1", "/2", "/3"));
  await machine.crawl(["http://site.example/1"], { delayMs: 0 });
  const key = namedKey("meta", "archive-mark");
  const [mark] = machine.disk.entries({ gte: key, lt: after(key) });
  const { bytes } = ArchiveMarkRecord.decode(mark?.value ?? new Uint8Array());
  expect(bytes).toBeGreaterThan(0);
  expect(machine.counted.get("archive_bytes_total")).toBe(bytes);
});
