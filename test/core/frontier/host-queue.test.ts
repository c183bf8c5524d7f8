import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { QueuedRow, type QueuedUrl } from "../../../src/core/frontier/queued-row.ts";
import type { JobId } from "../../../src/core/units.ts";
import { jobA, jobB, queued, storedRow } from "./queue-model.ts";

const anyJob = () => true;

function takenUrls(queue: HostQueue, count: number): (string | undefined)[] {
  return Array.from({ length: count }, () => queue.take(anyJob)?.entry.url.slice(17));
}

function takenJobs(queue: HostQueue, count: number, priorityOf?: (job: string) => number): string {
  return Array.from({ length: count }, () => queue.take(anyJob, priorityOf)?.job).join("");
}

function threeOfRow(): QueuedUrl[] {
  return QueuedRow.urlsOf(storedRow(jobA, 0, 0, { urls: 3 }));
}

/** What is left of a row when the URL has left the queue. */
function leftWithout(taken: QueuedUrl): string[] {
  const { row, job } = taken;
  const value = row.take(taken);
  const left = value ? QueuedRow.urlsOf({ key: row.key, value, job }) : [];
  return left.map(({ entry: { url } }) => url.slice(17));
}

/** Ends a lease for good, as a settlement does. */
function settle(queue: HostQueue, url: QueuedUrl): void {
  url.row.take(url);
  queue.settle(url);
}

/** A queue whose head fell back behind a URL, `late`, that is still leased. */
function queueBehindLeased() {
  const queue = new HostQueue(1);
  const late = queued(jobA, 9, 0);
  queue.add(late);
  queue.take(anyJob);
  queue.add(queued(jobA, 5, 1));
  queue.add(queued(jobA, 1, 2));
  queue.take(anyJob);
  return { queue, late };
}

describe("HostQueue", () => {
  it("serves a job by key, whatever the order of adding", () => {
    const queue = new HostQueue(10);
    for (const priority of [5, 1, 9, 3]) queue.add(queued(jobA, priority, 0));
    expect(takenUrls(queue, 5)).toEqual(["a/1/0", "a/3/0", "a/5/0", "a/9/0", undefined]);
  });

  it("serves jobs in rotation, so that a small one does not wait for a big one", () => {
    const queue = new HostQueue(10);
    for (let sequence = 0; sequence < 6; sequence += 1) queue.add(queued(jobA, 0, sequence));
    for (let sequence = 0; sequence < 2; sequence += 1) queue.add(queued(jobB, 9, sequence));
    expect(takenUrls(queue, 6)).toEqual(["a/0/0", "b/9/0", "a/0/1", "b/9/1", "a/0/2", "a/0/3"]);
  });

  it("serves a job of a higher priority first, and none never", () => {
    const queue = new HostQueue(40);
    for (let sequence = 0; sequence < 20; sequence += 1) {
      queue.add(queued(jobA, 0, sequence));
      queue.add(queued(jobB, 0, sequence));
    }
    const priorityOf = (job: string) => (job === jobB ? 5 : 3);
    const taken = Array.from({ length: 40 }, () => queue.take(anyJob, priorityOf)?.job);
    expect(taken.slice(0, 11).join("")).toBe("abbbbabbbba");
    expect(taken.slice(25).join("")).toBe("a".repeat(15));
  });

  it("keeps its turns for a job that comes and goes, and makes up for none", () => {
    const queue = new HostQueue(40);
    const priorityOf = (job: string) => (job === jobB ? 4 : 3);
    const taken: (string | undefined)[] = [];
    for (let sequence = 0; sequence < 20; sequence += 1) queue.add(queued(jobB, 0, sequence));
    for (let sequence = 0; sequence < 20; sequence += 1) {
      if (sequence > 5) queue.add(queued(jobA, 0, sequence));
      const url = queue.take(anyJob, priorityOf);
      taken.push(url?.job);
      if (url?.job !== jobA) continue;
      settle(queue, url);
      queue.committed(url);
    }
    expect(taken.join("")).toBe("bbbbbbbababbabbabbab");
  });

  it("lets a job make up for no turns of the time in which it had nothing to take", () => {
    const queue = new HostQueue(40);
    const jobC = "c" as JobId;
    for (let sequence = 0; sequence < 20; sequence += 1) {
      queue.add(queued(jobB, 0, sequence));
      queue.add(queued(jobC, 0, sequence));
    }
    const taken = takenJobs(queue, 20);
    for (let sequence = 0; sequence < 6; sequence += 1) queue.add(queued(jobA, 0, sequence));
    expect(taken).toBe("bc".repeat(10));
    expect(takenJobs(queue, 9)).toBe("abcabcabc");
  });

  describe("of whose jobs one has had eight turns in advance", () => {
    const priorityOf = (job: string) => (job === jobB ? 9 : 6);

    function queueOf(urlsOfOther: number): HostQueue {
      const queue = new HostQueue(40);
      for (let sequence = 0; sequence < urlsOfOther; sequence += 1) {
        queue.add(queued(jobB, 0, sequence));
      }
      queue.add(queued(jobA, 0, 0));
      expect(takenJobs(queue, 1, priorityOf)).toBe("b");
      const url = queue.take(anyJob, priorityOf);
      if (url?.job !== jobA) throw new Error("the other job is next");
      settle(queue, url);
      queue.committed(url);
      return queue;
    }

    it("counts them when it comes back", () => {
      const queue = queueOf(20);
      queue.add(queued(jobA, 0, 1));
      expect(takenJobs(queue, 8, priorityOf)).toBe("bbbbbbba");
    });

    it("counts them no longer when the other has had its own meanwhile", () => {
      const queue = queueOf(40);
      expect(takenJobs(queue, 20, priorityOf)).toBe("b".repeat(20));
      queue.add(queued(jobA, 0, 1));
      expect(takenJobs(queue, 2, priorityOf)).toBe("ab");
    });
  });

  it("hands out no URL that is added again before its removal is durable", () => {
    const queue = new HostQueue(10);
    const url = queued(jobA, 0, 0);
    queue.add(url);
    expect(queue.take(anyJob)).toBe(url);
    settle(queue, url);
    queue.add(url);
    expect(queue.take(anyJob)).toBeUndefined();
  });

  it("passes over jobs that may not run, and serves them when they may again", () => {
    const queue = new HostQueue(10);
    queue.add(queued(jobA, 0, 0));
    queue.add(queued(jobB, 0, 0));
    const notA = (job: string) => job !== jobA;
    expect(queue.take(notA)?.job).toBe(jobB);
    expect(queue.hasReady(notA)).toBe(false);
    expect(queue.take(notA)).toBeUndefined();
    expect(queue.hasReady(anyJob)).toBe(true);
    expect(queue.take(anyJob)?.job).toBe(jobA);
  });

  it("asks for as many as it may hold when that is fewer than before", () => {
    const queue = new HostQueue(100);
    queue.expectOnDisk(jobA);
    queue.setHeadMax(4);
    expect(queue.beginRefill(jobA).limit).toBe(4);
  });

  it("holds no more than its bound of each job, and asks for the rest when it runs low", () => {
    const queue = new HostQueue(4);
    for (let sequence = 0; sequence < 100; sequence += 1) queue.add(queued(jobA, 0, sequence));
    expect(queue.heldCount).toBe(4);
    expect(queue.refillsNeeded()).toEqual([]);
    takenUrls(queue, 3);
    expect(queue.refillsNeeded()).toEqual([jobA]);
    const ticket = queue.beginRefill(jobA);
    expect(queue.refillsNeeded()).toEqual([]);
    expect(ticket).toEqual({ job: jobA, after: queued(jobA, 0, 3).id, limit: 4 });
    queue.refill(
      ticket,
      [4, 5, 6, 7].map((sequence) => queued(jobA, 0, sequence)),
      false,
    );
    expect(takenUrls(queue, 5)).toEqual(["a/0/3", "a/0/4", "a/0/5", "a/0/6", undefined]);
    expect(queue.hasWork).toBe(true);
  });

  it("lets an important entry into a full head, in the place of the last one", () => {
    const queue = new HostQueue(2);
    queue.add(queued(jobA, 5, 0));
    queue.add(queued(jobA, 5, 1));
    queue.add(queued(jobA, 1, 2));
    expect(takenUrls(queue, 3)).toEqual(["a/1/2", "a/5/0", undefined]);
    expect(queue.refillsNeeded()).toEqual([jobA]);
  });

  it("lets the last entries go when it may hold fewer, and finds them again on disk", () => {
    const queue = new HostQueue(4);
    const urls = [1, 2, 3, 4].map((sequence) => queued(jobA, 0, sequence));
    for (const url of urls) queue.add(url);
    queue.setHeadMax(1);
    expect(takenUrls(queue, 2)).toEqual(["a/0/1", undefined]);
    queue.refill(queue.beginRefill(jobA), [queued(jobA, 0, 2)], false);
    expect(takenUrls(queue, 2)).toEqual(["a/0/2", undefined]);
  });

  it("expects work on disk after a start, until a scan has come to the end", () => {
    const queue = new HostQueue(4);
    expect(queue.hasWork).toBe(false);
    queue.expectOnDisk(jobA);
    expect(queue.hasWork).toBe(true);
    expect(queue.hasReady(anyJob)).toBe(false);
    const ticket = queue.beginRefill(jobA);
    expect(ticket.after).toHaveLength(0);
    queue.refill(ticket, [], true);
    expect(queue.hasWork).toBe(false);
    expect(queue.pendingCount).toBe(0);
  });

  it("needs a refill again when the scan failed", () => {
    const queue = new HostQueue(4);
    queue.expectOnDisk(jobA);
    queue.refill(queue.beginRefill(jobA), [], false);
    expect(queue.refillsNeeded()).toEqual([jobA]);
  });

  it("hands out what was put back, and not while it is leased", () => {
    const queue = new HostQueue(4);
    queue.add(queued(jobA, 0, 0));
    const leased = queue.take(anyJob);
    expect(queue.take(anyJob)).toBeUndefined();
    if (leased === undefined) throw new Error("nothing to take");
    queue.add(leased);
    expect(queue.take(anyJob)).toBeUndefined();
    queue.putBack(leased);
    expect(takenUrls(queue, 2)).toEqual(["a/0/0", undefined]);
  });

  it("does not bring back what was settled when a scan read an older view", () => {
    const queue = new HostQueue(4);
    const url = queued(jobA, 0, 0);
    queue.expectOnDisk(jobA);
    queue.refill(queue.beginRefill(jobA), [url], false);
    queue.take(anyJob);
    settle(queue, url);
    const ticket = queue.beginRefill(jobA);
    queue.committed(url);
    queue.refill(ticket, [url], true);
    expect(queue.hasWork).toBe(false);
    expect(queue.pendingCount).toBe(0);
  });

  it("does not bring back what was leased before the head fell back behind it", () => {
    const { queue, late } = queueBehindLeased();
    const ticket = queue.beginRefill(jobA);
    settle(queue, late);
    queue.committed(late);
    queue.refill(ticket, [queued(jobA, 5, 1), late], true);
    expect(takenUrls(queue, 2)).toEqual(["a/5/1", undefined]);
    expect(queue.refillsNeeded()).toEqual([]);
  });

  it.each(["leased", "settled"])("does not hand out twice what is %s behind the head", (state) => {
    const { queue, late } = queueBehindLeased();
    if (state === "settled") settle(queue, late);
    queue.refill(queue.beginRefill(jobA), [queued(jobA, 5, 1), late], true);
    expect(takenUrls(queue, 1)).toEqual(["a/5/1"]);
    if (queue.refillsNeeded().length > 0) queue.refill(queue.beginRefill(jobA), [late], true);
    expect(queue.take(anyJob)).toBeUndefined();
  });

  it("hands out once what was put back during a scan that found it, too", () => {
    const queue = new HostQueue(2);
    const late = queued(jobA, 9, 0);
    queue.add(late);
    queue.take(anyJob);
    for (const priority of [2, 3, 1]) queue.add(queued(jobA, priority, 0));
    takenUrls(queue, 2);
    const ticket = queue.beginRefill(jobA);
    queue.putBack(late);
    queue.refill(ticket, [queued(jobA, 3, 0), queued(jobA, 9, 0)], true);
    expect(takenUrls(queue, 3)).toEqual(["a/3/0", "a/9/0", undefined]);
  });

  it("takes no harm from a scan that read the wrong rows", () => {
    const queue = new HostQueue(8);
    for (let sequence = 0; sequence < 9; sequence += 1) queue.add(queued(jobA, 5, sequence));
    takenUrls(queue, 6);
    queue.refill(queue.beginRefill(jobA), [queued(jobA, 1, 0)], false);
    queue.add(queued(jobA, 4, 9));
    expect(takenUrls(queue, 4)).toEqual(["a/4/9", "a/5/6", "a/5/7", undefined]);
  });

  it("serves the URLs of a row by their places, and reads on in the middle of one", () => {
    const queue = new HostQueue(2);
    for (const url of threeOfRow()) queue.add(url);
    expect(takenUrls(queue, 3)).toEqual(["a/0/0", "a/0/0/1", undefined]);
    queue.refill(queue.beginRefill(jobA), threeOfRow(), true);
    expect(takenUrls(queue, 2)).toEqual(["a/0/0/2", undefined]);
  });

  it("takes out of the row that is in memory what a scan finds of it", () => {
    const queue = new HostQueue(2);
    for (const url of threeOfRow()) queue.add(url);
    const [first, second] = [queue.take(anyJob), queue.take(anyJob)];
    if (!first || !second) throw new Error("two to take");
    const ticket = queue.beginRefill(jobA);
    expect(leftWithout(first)).toEqual(["a/0/0/1", "a/0/0/2"]);
    queue.settle(first);
    queue.committed(first);
    queue.refill(ticket, threeOfRow(), true);
    const third = queue.take(anyJob);
    expect(third && leftWithout(third)).toEqual(["a/0/0/1"]);
    expect(leftWithout(second)).toEqual([]);
    expect(() => second.row.take(second)).toThrow("leaves the queue once");
  });

  it("may be dropped only when no lease, deletion or scan is under way", () => {
    const queue = new HostQueue(1);
    const url = queued(jobA, 0, 0);
    queue.add(url);
    queue.add(queued(jobA, 0, 1));
    expect(queue.pendingCount).toBe(0);
    queue.take(anyJob);
    expect(queue.pendingCount).toBe(1);
    const ticket = queue.beginRefill(jobA);
    expect(queue.pendingCount).toBe(2);
    settle(queue, url);
    expect(queue.pendingCount).toBe(2);
    queue.committed(url);
    expect(queue.pendingCount).toBe(1);
    queue.refill(ticket, [], true);
    expect(queue.pendingCount).toBe(0);
  });

  it("counts what is not settled, and knows no number while the disk may have more", () => {
    const queue = new HostQueue(2);
    const [first, other] = [queued(jobA, 0, 0), queued(jobB, 0, 1)];
    queue.add(first);
    queue.add(other);
    queue.take(anyJob);
    expect(queue.liveCount).toBe(2);
    settle(queue, first);
    expect(queue.liveCount).toBe(1);
    queue.expectOnDisk(jobA);
    expect(queue.liveCount).toBe(Infinity);
    const ticket = queue.beginRefill(jobA);
    expect(queue.liveCount).toBe(Infinity);
    queue.refill(ticket, [], true);
    expect(queue.liveCount).toBe(1);
  });

  it("stops on a lease that ends twice", () => {
    const queue = new HostQueue(4);
    queue.add(queued(jobA, 0, 0));
    const url = queue.take(anyJob);
    if (url === undefined) throw new Error("nothing to take");
    queue.settle(url);
    expect(() => queue.settle(url)).toThrow("settled that was not leased");
    expect(() => queue.putBack(url)).toThrow("put back that was not leased");
    queue.committed(url);
    expect(() => queue.committed(url)).toThrow("committed that was not settled");
  });

  it("stops on a refill that nobody needs, and on a second one at a time", () => {
    const queue = new HostQueue(4);
    expect(() => queue.beginRefill(jobA)).toThrow("where the database has more");
    queue.expectOnDisk(jobA);
    queue.beginRefill(jobA);
    expect(() => queue.beginRefill(jobA)).toThrow("one refill at a time");
  });
});

it("holds few entries where they are long, and hands all of them out", () => {
  const long = [1, 2, 3, 4].flatMap((sequence) =>
    QueuedRow.urlsOf(storedRow(jobA, 0, sequence, { more: 500_000 })),
  );
  const queue = new HostQueue(300);
  for (const url of long) queue.add(url);
  expect(queue.heldCount).toBeLessThan(long.length);
  const taken: QueuedUrl[] = [];
  while (taken.length < long.length) {
    for (const job of queue.refillsNeeded()) {
      const ticket = queue.beginRefill(job);
      const left = long.filter((url) => !taken.includes(url));
      queue.refill(ticket, left, true);
    }
    const url = queue.take(anyJob);
    if (!url) break;
    taken.push(url);
    settle(queue, url);
    queue.committed(url);
  }
  expect(taken.map(({ id }) => id)).toEqual(long.map(({ id }) => id));
});

it("holds one entry, however long it is", () => {
  const queue = new HostQueue(4);
  for (const sequence of [2, 1]) {
    const [url] = QueuedRow.urlsOf(storedRow(jobA, 0, sequence, { more: 500_000 }));
    if (url) queue.add(url);
  }
  expect(queue.heldCount).toBe(1);
  expect(queue.refillsNeeded()).toEqual([]);
  expect(queue.take(anyJob)?.id).toBe(queued(jobA, 0, 1).id);
  expect(queue.refillsNeeded()).toEqual([jobA]);
});
