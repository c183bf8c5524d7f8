import { describe, expect, it } from "vitest";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { noLinks } from "../../../src/core/page/parsed-page.ts";
import { exclusionSpace } from "../../../src/core/record/url-keys.ts";
import { ExclusionRecord } from "../../../src/core/record/record.pb.ts";
import { queuedRecord } from "../../../src/core/record/url-state.ts";
import type { ExclusionReason } from "../../../src/core/jobs/exclusion.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { candidateOf, urlRowKeyOf, type Candidate } from "../../../src/peer/admission/candidate.ts";
import type { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { reconcile } from "../../../src/peer/admission/reconcile.ts";
import { HostPlaces } from "../../../src/peer/host-places.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { timelessStore } from "../../support/still-process.ts";

const url = "http://site.test/page" as CanonicalUrl;
const job = new JobRegistry().define("j");

/** The URL as a page brings it: let in, or kept out for a reason. */
function candidate(reason?: ExclusionReason): Candidate {
  const request = { job, links: noLinks, excluded: [], depth: 1, redirectChain: [] };
  const links = packLinks([url], true);
  return candidateOf({ request, links, index: 0, reason }, new HostPlaces());
}

const letIn = candidate();
const keptOut = candidate("scope");
const exclusion: StoreOp = {
  type: "put",
  key: urlRowKeyOf(keptOut),
  value: ExclusionRecord.encode({ url, reason: "depth" }),
};

/** Decides of them where the sieve has seen the URL at both places, and these rows are on their way to the database. */
async function reconcileWith(onTheirWay: readonly StoreOp[], ...candidates: Candidate[]) {
  const store = timelessStore();
  await store.start();
  const spaces: number[] = [];
  const mayHave = (space: number): boolean => spaces.push(space) > 0;
  const { candidates: left, lifted } = await reconcile(candidates, [], {
    journal: { flushed: () => store.write(onTheirWay, { sync: true }) },
    sieve: { sieve: { mayHave } } as unknown as SieveKeeper,
    store,
  });
  return { left, lifted, spaces };
}

describe("a URL that is kept out at one place and let in at another", () => {
  it("is let in, and its exclusion lifted, though that is not in the database yet", async () => {
    const { left, lifted, spaces } = await reconcileWith([exclusion], letIn);
    expect(left).toEqual([letIn]);
    expect(lifted).toEqual([{ job, reason: "depth", key: exclusion.key }]);
    expect(spaces).toEqual([exclusionSpace(job.space)]);
  });

  it("is not kept out where it was let in before, though that is not in the database yet", async () => {
    const row: StoreOp = { type: "put", key: urlRowKeyOf(letIn), value: queuedRecord(0) };
    const { left, lifted, spaces } = await reconcileWith([row], keptOut);
    expect({ left, lifted }).toEqual({ left: [], lifted: [] });
    expect(spaces).toEqual([job.space]);
  });

  it.each([
    ["first", [letIn, keptOut]],
    ["last", [keptOut, letIn]],
  ])("is let in alone where both come together, and that comes %s", async (_, both) => {
    const { left, lifted } = await reconcileWith([], ...both);
    expect({ left, lifted }).toEqual({ left: [letIn], lifted: [] });
  });

  it("is kept out where it was never let in", async () => {
    const { left, lifted } = await reconcileWith([], keptOut);
    expect({ left, lifted }).toEqual({ left: [keptOut], lifted: [] });
  });
});
