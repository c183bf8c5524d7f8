import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/peer/fetching/turns.ts";

describe("Turns", () => {
  it("lets work on one thing wait for the work before, and work on another not", async () => {
    const turns = new Turns();
    const done: string[] = [];
    const first = Promise.withResolvers<undefined>();
    const work = (name: string, until?: Promise<undefined>) => async (): Promise<void> => {
      done.push(`${name} begins`);
      await until;
      done.push(`${name} ends`);
    };
    const one = turns.run("a", work("one", first.promise));
    const two = turns.run("a", work("two"));
    await turns.run("b", work("other"));
    expect(done).toEqual(["one begins", "other begins", "other ends"]);
    first.resolve(undefined);
    await Promise.all([one, two]);
    expect(done.slice(3)).toEqual(["one ends", "two begins", "two ends"]);
    expect(turns.size).toBe(0);
  });

  it("goes on behind work that failed", async () => {
    const turns = new Turns();
    const failed = turns.run("a", () => Promise.reject(new Error("no")));
    const next = turns.run("a", () => Promise.resolve("yes"));
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
    expect(turns.size).toBe(0);
  });
});
