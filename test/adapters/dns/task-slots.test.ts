import { describe, expect, it } from "vitest";
import { TaskSlots } from "../../../src/adapters/dns/task-slots.ts";

/** Gives tasks to the slots, which begin in some order, and end when they are told to. */
class Tasks {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #slots: TaskSlots;

  constructor(slots: TaskSlots) {
    this.#slots = slots;
  }

  give(group: string, name: string): Promise<void> {
    return this.#slots.run(group, () => {
      this.begun.push(name);
      return new Promise((resolve) => this.#ends.push(resolve));
    });
  }

  /** Lets each end as soon as it has begun. */
  async endAll(given: readonly Promise<void>[]): Promise<void> {
    for (const task of given) {
      this.#ends.shift()?.();
      await task;
    }
  }
}

describe("TaskSlots", () => {
  it("gives free slots to the groups in turn, and within one in order", async () => {
    const tasks = new Tasks(new TaskSlots(1, 10));
    const given = [
      tasks.give("a", "a1"),
      tasks.give("a", "a2"),
      tasks.give("b", "b1"),
      tasks.give("a", "a3"),
      tasks.give("c", "c1"),
      tasks.give("b", "b2"),
    ];
    const [a1, a2, b1, a3, c1, b2] = given;
    const inTurn = [a1, a2, b1, c1, a3, b2].filter((task) => task !== undefined);
    await tasks.endAll(inTurn);
    expect(tasks.begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  it("counts those that wait in all groups, and has room again when they have begun", async () => {
    const slots = new TaskSlots(1, 2);
    const tasks = new Tasks(slots);
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    expect(slots.full).toBe(false);
    given.push(tasks.give("b", "b1"));
    expect(slots.full).toBe(true);
    await tasks.endAll(given);
    expect(slots.full).toBe(false);
    expect(tasks.begun).toEqual(["a1", "a2", "b1"]);
  });

  it("has room again as soon as one of those that wait has begun", async () => {
    const slots = new TaskSlots(1, 1);
    const tasks = new Tasks(slots);
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    expect(slots.full).toBe(true);
    await tasks.endAll(given.slice(0, 1));
    expect(slots.full).toBe(false);
    await tasks.endAll(given.slice(1));
  });
});
