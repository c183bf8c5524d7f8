import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { jobA, jobB, queued } from "./queue-model.ts";

const anyJob = () => true;

it("lets go of what it holds of a job that is held back, and reads all of it again when it is wanted", () => {
  const queue = new HostQueue(4);
  const urls = [0, 1, 2].map((sequence) => queued(jobA, 0, sequence));
  for (const url of [...urls, queued(jobB, 0, 0)]) queue.add(url);
  const leased = queue.take((job) => job === jobA);
  queue.unload(jobA);
  expect([queue.heldCount, queue.hasWork, queue.mayHave(jobA)]).toEqual([1, true, true]);
  expect(queue.refillsNeeded((job) => job !== jobA)).toEqual([]);
  expect(queue.refillsNeeded()).toEqual([jobA]);
  queue.refill(queue.beginRefill(jobA), urls, true);
  expect(leased?.id).toBe(urls[0]?.id);
  expect(queue.heldCount).toBe(3);
});

it("has nothing to unload of a job of which it holds nothing", () => {
  const queue = new HostQueue(4);
  queue.add(queued(jobA, 0, 0));
  queue.take(anyJob);
  queue.unload(jobA);
  queue.unload(jobB);
  expect([queue.liveCount, queue.mayHave(jobB)]).toEqual([1, false]);
});

it("drops a job of which nothing is wanted any more, once nothing of it is under way", () => {
  const queue = new HostQueue(4);
  for (const sequence of [0, 1]) queue.add(queued(jobA, 0, sequence));
  const url = queue.take(anyJob);
  expect([queue.drop(jobA), queue.liveCount]).toEqual([false, 2]);
  if (url) queue.putBack(url);
  expect([queue.drop(jobA), queue.liveCount, queue.hasWork]).toEqual([true, 0, false]);
});

it("has nothing of a job any more once its last entry has left the database, or none was found there", () => {
  const queue = new HostQueue(4);
  queue.add(queued(jobA, 0, 0));
  const url = queue.take(anyJob);
  if (!url) throw new Error("an entry is queued");
  queue.settle(url);
  expect(queue.mayHave(jobA)).toBe(true);
  queue.committed(url);
  queue.expectOnDisk(jobB);
  expect([queue.mayHave(jobA), queue.mayHave(jobB)]).toEqual([false, true]);
  queue.refill(queue.beginRefill(jobB), [], true);
  expect(queue.mayHave(jobB)).toBe(false);
});
