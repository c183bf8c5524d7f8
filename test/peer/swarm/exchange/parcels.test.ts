import { expect, it } from "vitest";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { newParcel, type Parcel } from "../../../../src/peer/swarm/exchange/parcel.ts";
import { Parcels } from "../../../../src/peer/swarm/exchange/parcels.ts";

const jobs = new JobRegistry();

function parcelOf(job: string, isUnheard: boolean): Parcel {
  const url = "http://a.example/" as CanonicalUrl;
  const { key: rowKey } = urlRow(url, jobs.define(job));
  const parcel = newParcel({
    rowKey,
    entry: { url, job, depth: 0, redirectChain: [] },
    sinceMs: 0,
  });
  return Object.assign(parcel, { isUnheard });
}

it("counts the parcels under way by whether their jobs are known, and by job", () => {
  const parcels = new Parcels();
  const [known, unheard] = [parcelOf("known", false), parcelOf("unheard", true)];
  const counts = (): number[] => [
    parcels.size,
    parcels.sizeWhere(false),
    parcels.sizeWhere(true),
    parcels.of(known.space),
    parcels.of(unheard.space),
    parcels.sizeOf((space) => space === unheard.space),
  ];
  parcels.add("1", known);
  parcels.add("2", unheard);
  parcels.add("3", unheard);
  expect(counts()).toEqual([3, 1, 2, 1, 2, 2]);
  for (const id of ["2", "1", "1"]) parcels.delete(id);
  expect(counts()).toEqual([1, 0, 1, 0, 1, 1]);
  parcels.delete("3");
  expect(counts()).toEqual([0, 0, 0, 0, 0, 0]);
});
