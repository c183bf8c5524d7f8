import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queueKey, sequenceOfQueueKey } from "../../../src/core/record/queue-keys.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";

describe("Sequence", () => {
  it("gives numbers that are higher than all it gave and saw", () => {
    const steps = fc.array(fc.option(fc.nat(), { nil: "next" as const }), { maxLength: 50 });
    fc.assert(
      fc.property(steps, (each) => {
        const sequence = new Sequence();
        let highest = 0;
        for (const step of each) {
          if (step === "next") {
            const next = sequence.next();
            expect(next).toBeGreaterThan(highest);
            highest = next;
          } else {
            sequence.observe(step);
            highest = Math.max(highest, step);
          }
        }
      }),
    );
  });

  it("is saved when it has only seen a higher one", () => {
    const sequence = new Sequence();
    sequence.observe(7);
    expect(sequence.takeUnsaved()).toHaveLength(1);
    expect(sequence.takeUnsaved()).toHaveLength(0);
  });

  it("does not believe a number that nobody can have counted to", () => {
    const sequence = new Sequence();
    expect(sequence.observe(2 ** 60)).toBe(false);
    expect(sequence.next()).toBe(1);
  });

  it("believes what another one counts on from the highest number that it follows", () => {
    const [one, other] = [new Sequence(), new Sequence()];
    for (const each of [one, other]) expect(each.observe(2 ** 51)).toBe(true);
    const number = one.next();
    expect(other.observe(number)).toBe(true);
    expect(other.last).toBeGreaterThanOrEqual(number);
    expect(Number.isSafeInteger(number + 2 ** 51)).toBe(true);
  });

  it("stands in the key of a row of a queue", () => {
    const host = { position: 1n, hostHash: 2n };
    for (const number of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 50 + 1]) {
      expect(sequenceOfQueueKey(queueKey(host, 3, 4, number, [new Uint8Array(29)]))).toBe(number);
    }
  });
});
