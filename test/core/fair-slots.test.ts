import { describe, expect, it } from "vitest";
import { FairSlots } from "../../src/core/fair-slots.ts";

/** Gives tasks to the slots, which begin in some order, and end when they are told to. */
class Tasks {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #slots: FairSlots;

  constructor(slots: FairSlots) {
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

describe("FairSlots", () => {
  it("gives free slots to the groups in turn, and within one in order", async () => {
    const tasks = new Tasks(new FairSlots(1));
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
    const slots = new FairSlots(1, { waitingMax: 2 });
    const tasks = new Tasks(slots);
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    expect(slots.isFull("c")).toBe(false);
    given.push(tasks.give("b", "b1"));
    expect(slots.isFull("c")).toBe(true);
    await tasks.endAll(given);
    expect(slots.isFull("c")).toBe(false);
    expect(tasks.begun).toEqual(["a1", "a2", "b1"]);
  });

  it("has room again as soon as one of those that wait has begun", async () => {
    const slots = new FairSlots(1, { waitingMax: 1 });
    const tasks = new Tasks(slots);
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    expect(slots.isFull("c")).toBe(true);
    await tasks.endAll(given.slice(0, 1));
    expect(slots.isFull("c")).toBe(false);
    await tasks.endAll(given.slice(1));
  });

  it("has room for so many of a group, which another has nothing to do with", async () => {
    const slots = new FairSlots(1, { waitingOfGroupMax: 2 });
    const tasks = new Tasks(slots);
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    expect(slots.isFull("a")).toBe(false);
    given.push(tasks.give("a", "a3"));
    expect([slots.isFull("a"), slots.isFull("b")]).toEqual([true, false]);
    await tasks.endAll(given);
    expect(slots.isFull("a")).toBe(false);
  });

  it("runs no more than so many at once, however many wait", async () => {
    const tasks = new Tasks(new FairSlots(2));
    const given = ["a1", "a2", "a3"].map((name) => tasks.give("a", name));
    expect(tasks.begun).toEqual(["a1", "a2"]);
    await tasks.endAll(given);
    expect(tasks.begun).toEqual(["a1", "a2", "a3"]);
  });

  it("runs no more at once either when slots have been handed over", async () => {
    const tasks = new Tasks(new FairSlots(1));
    const given = [tasks.give("a", "a1"), tasks.give("a", "a2")];
    await tasks.endAll(given.slice(0, 1));
    given.push(tasks.give("b", "b1"));
    expect(tasks.begun).toEqual(["a1", "a2"]);
    await tasks.endAll(given.slice(1));
    expect(tasks.begun).toEqual(["a1", "a2", "b1"]);
  });

  it("has a slot free again after a task that fails", async () => {
    const slots = new FairSlots(1);
    const failing = slots.run("a", () => Promise.reject(new Error("no disk")));
    const next = slots.run("b", () => Promise.resolve("done"));
    await expect(failing).rejects.toThrow("no disk");
    await expect(next).resolves.toBe("done");
    await expect(slots.run("a", () => Promise.resolve("again"))).resolves.toBe("again");
  });
});
