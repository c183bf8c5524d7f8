import { describe, expect, it } from "vitest";
import type { MemberId } from "../../../src/core/units.ts";
import { FairSlots } from "../../../src/peer/swarm/fair-slots.ts";

const one = "one" as MemberId;
const other = "other" as MemberId;

/** Works that end when they are told to, and the order in which they began. */
class Works {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  readonly named = (name: string) => (): Promise<undefined> => {
    this.begun.push(name);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#ends.push(() => resolve(undefined));
    return promise;
  };

  endOldest(): void {
    this.#ends.shift()?.();
  }
}

/** Lets everything happen that is due. */
const settled = (): Promise<unknown> => new Promise(setImmediate);

describe("places that members take in turn", () => {
  it("are no more than there are, however many ask", async () => {
    const slots = new FairSlots(2);
    const works = new Works();
    const done = ["a", "b", "c"].map((name) => slots.run(one, works.named(name)));
    await settled();
    expect(works.begun).toEqual(["a", "b"]);
    works.endOldest();
    await settled();
    expect(works.begun).toEqual(["a", "b", "c"]);
    works.endOldest();
    works.endOldest();
    await Promise.all(done);
  });

  it("go to each member that waits before one has a second", async () => {
    const slots = new FairSlots(1);
    const works = new Works();
    const asked = [1, 2, 3, 4].map((count) => slots.run(one, works.named(`one ${count}`)));
    asked.push(slots.run(other, works.named("other 1")), slots.run(other, works.named("other 2")));
    for (let left = asked.length; left > 0; left -= 1) {
      await settled();
      works.endOldest();
    }
    await Promise.all(asked);
    expect(works.begun).toEqual(["one 1", "one 2", "other 1", "one 3", "other 2", "one 4"]);
  });

  it("are waited for by so many works of a member, which another has nothing to do with", async () => {
    const slots = new FairSlots(1);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const done = Array.from({ length: 1_024 }, () => slots.run(one, () => promise));
    expect(slots.isFull(one)).toBe(false);
    done.push(slots.run(one, () => promise));
    expect([slots.isFull(one), slots.isFull(other)]).toEqual([true, false]);
    resolve(undefined);
    await Promise.all(done);
    expect(slots.isFull(one)).toBe(false);
  });

  it("are free again after what fails", async () => {
    const slots = new FairSlots(1);
    const failing = slots.run(one, () => Promise.reject(new Error("no disk")));
    const next = slots.run(other, () => Promise.resolve("done"));
    await expect(failing).rejects.toThrow("no disk");
    await expect(next).resolves.toBe("done");
    await expect(slots.run(one, () => Promise.resolve("again"))).resolves.toBe("again");
  });
});
