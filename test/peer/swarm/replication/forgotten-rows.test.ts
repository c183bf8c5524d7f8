import { expect, it } from "vitest";
import { heapBytes } from "../../../support/heap-bytes.ts";
import { doneAt, KeeperBench, key } from "./keeper-bench.ts";

it("a row that has been looked up is watched no more, and keeps nothing of its message", async () => {
  const messageBytes = 1_000_000;
  const bench = new KeeperBench(true);
  const value = doneAt(5);
  await bench.take({ key, value });
  const before = heapBytes();
  for (let count = 0; count < 50; count += 1) {
    const message = new Uint8Array(messageBytes);
    message.set(key);
    await bench.take({ key: message.subarray(0, key.length), value });
  }
  // What the last turn held on to is let go.
  await new Promise(setImmediate);
  expect(heapBytes() - before).toBeLessThan(10 * messageBytes);
});
