import { expect, it } from "vitest";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { noDiskTimes, VirtualStore } from "../../../sim/world/virtual-store.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { knowledgeOf } from "../../../src/peer/answers/url-knowledge.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { StoreEntry } from "../../../src/ports/store.ts";
import { stillProcess } from "../../support/still-process.ts";

it("no more than a few of the long rows of a URL are in memory at once, and all of them are looked at", async () => {
  const url = "http://a.example/" as CanonicalUrl;
  const registry = new JobRegistry();
  const jobs = Array.from({ length: 20 }, (_, n) => registry.define(`job-${n}`));
  const title = "t".repeat(400_000);
  const done = { ...urlState.fresh, url, state: urlState.done, httpStatus: 200, title };
  const disk = new VirtualDisk();
  disk.apply(
    jobs.map((job, n) => {
      const value = UrlRecord.encode({ ...done, fetchedAtMs: n });
      return { type: "put", key: urlRow(url, job).key, value } as const;
    }),
  );
  const store = new VirtualStore(disk, stillProcess(), new Dice(1), noDiskTimes);
  await store.start();
  let most = 0;
  const range: typeof store.range = async (...asked): Promise<StoreEntry[]> => {
    const rows = await store.range(...asked);
    most = Math.max(most, rows.length);
    return rows;
  };
  const getMany = store.getMany.bind(store);
  const [known] = await knowledgeOf({ getMany, range }, [url], jobs);
  expect(known?.record?.fetchedAtMs).toBe(19);
  expect(most).toBeLessThanOrEqual(3);
});
