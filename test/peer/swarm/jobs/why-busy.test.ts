import { describe, expect, it } from "vitest";
import { noJob } from "../../../../src/core/messages/activity.ts";
import { jobSpace } from "../../../../src/core/record/url-keys.ts";
import type { JobId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { whyBusy } from "../../../../src/peer/swarm/jobs/why-busy.ts";

const unheardOf = "unheard-of" as JobId;

/** A peer at rest that knows one job, of which nothing is left. */
function atRest() {
  const jobs = new JobRegistry();
  const job = jobs.define("one");
  const onTheirWay = { space: -1 };
  /** Units of the replicator that are at all replicas. */
  const sent = { upTo: 7 };
  const at = {
    exchange: { pendingOf: (space: number) => (space === onTheirWay.space ? 1 : 0) },
    frontier: { isStalled: () => false },
    isSettled: true,
    jobs,
    replicator: { hasSent: (sequence: number) => sequence <= sent.upTo },
  };
  const why = (id = job.definition.id, changedAt = 7) => whyBusy(id, changedAt, at);
  return { at, job, onTheirWay, sent, why };
}

describe("whether anything is left of a job at a peer", () => {
  it("is nothing where the peer is at rest, known or not", () => {
    const { why } = atRest();
    expect(why()).toBeUndefined();
    expect(why(unheardOf)).toBeUndefined();
  });

  it("is something while arcs are on their way, whichever the job, and where none is asked for", () => {
    const { at, job } = atRest();
    at.isSettled = false;
    for (const id of [job.definition.id, noJob] as const) {
      expect(whyBusy(id, 7, at)).toBe("arcs are on their way");
    }
  });

  it("is something while URLs are queued of a job that the peer has not heard of", () => {
    const { at, why } = atRest();
    at.jobs.setUnheard(jobSpace(unheardOf), 1);
    expect(why(unheardOf)).toBe("URLs are queued of a job not heard of");
    expect(why()).toBeUndefined();
  });

  it("is something while a URL is leased, though nothing is queued", () => {
    const { job, why } = atRest();
    job.leases = 1;
    expect(why()).toBe("URLs are being fetched");
  });

  it("is something while URLs are queued that can be fetched", () => {
    const { at, job, why } = atRest();
    at.jobs.addQueued(job.space, 1);
    expect(why()).toBe("URLs are queued");
    at.frontier.isStalled = () => true;
    expect(why()).toBeUndefined();
  });

  it("is nothing where URLs are queued of a job that has been cancelled", () => {
    const { at, job, why } = atRest();
    at.jobs.addQueued(job.space, 1);
    at.jobs.changeState(job.definition.id, "cancel");
    expect(why()).toBeUndefined();
  });

  it("is something while URLs of it are on their way to their owners; those of another job do not count", () => {
    const { at, job, onTheirWay, why } = atRest();
    const other = at.jobs.define("two");
    onTheirWay.space = job.space;
    expect(why()).toBe("URLs are on their way to their owners");
    expect(why(other.definition.id)).toBeUndefined();
  });

  it("is something while changes of it are on their way to replicas; later ones, of other jobs, do not count", () => {
    const { job, sent, why } = atRest();
    sent.upTo = 6;
    expect(why()).toBe("changes are on their way to replicas");
    expect(why(job.definition.id, 6)).toBeUndefined();
  });

  it("asks of the peer alone where no job is named", () => {
    const { at, sent } = atRest();
    sent.upTo = 6;
    expect(whyBusy(noJob, 7, at)).toBeUndefined();
  });
});
