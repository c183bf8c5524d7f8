import type { Outages } from "../../src/peer/fetching/outages.ts";

/** Of which there is never one. */
export const noOutages: Pick<Outages, "holdOf"> = {
  holdOf: ({ gate }, nowMs) => gate.hold(nowMs),
};
