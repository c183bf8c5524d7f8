import { describe, expect, it } from "vitest";
import { frugalLookup } from "../../../src/adapters/libp2p/frugal-lookup.ts";

type Lookup = ReturnType<typeof frugalLookup>;
type Callback = Parameters<Lookup>[2];

/** A system that answers when it is told to. */
function slowSystem() {
  const asked: string[] = [];
  const callbacks = new Map<string, Callback>();
  let now = 0;
  const lookUp = frugalLookup(
    5_000,
    (name, _, callback) => {
      asked.push(name);
      callbacks.set(name, callback);
    },
    () => now,
  );
  return {
    asked,
    ask: (name: string) =>
      new Promise<unknown>((resolve) => {
        lookUp(name, { all: true }, (error, address) => resolve(error?.message ?? address));
      }),
    answer: (name: string) => callbacks.get(name)?.(null, [{ address: "192.0.2.1", family: 4 }]),
    fail: (name: string) => callbacks.get(name)?.(new Error("not found"), []),
    pass: (ms: number) => (now += ms),
  };
}

const found = [{ address: "192.0.2.1", family: 4 }];

describe("the lookup of names for dials", () => {
  it("asks for a name once, however often it is dialled meanwhile", async () => {
    const { asked, ask, answer, pass } = slowSystem();
    const outcomes = [ask("a")];
    for (let dial = 0; dial < 9; dial += 1) {
      pass(5_500);
      outcomes.push(ask("a"));
    }
    answer("a");
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => found));
    expect(asked).toEqual(["a"]);
    void ask("a");
    expect(asked).toEqual(["a", "a"]);
  });

  it("asks for two at a time, and not at all for what nobody waits for any more", async () => {
    const { asked, ask, answer, pass } = slowSystem();
    const outcomes = ["a", "b", "c", "d", "e"].map(ask);
    expect(asked).toEqual(["a", "b"]);
    pass(4_999);
    answer("b");
    expect(asked).toEqual(["a", "b", "c"]);
    pass(1);
    outcomes.push(ask("f"));
    answer("c");
    expect(asked).toEqual(["a", "b", "c", "f"]);
    answer("a");
    answer("f");
    const answered = outcomes.filter((_, at) => at !== 3 && at !== 4);
    expect(await Promise.all(answered)).toEqual([found, found, found, found]);
  });

  it("tells of a failure those who still wait for it", async () => {
    const { ask, fail, pass } = slowSystem();
    const told: unknown[] = [];
    const outcome = ask("a");
    fail("a");
    expect(await outcome).toBe("not found");
    void ask("b").then((late) => told.push(late));
    pass(5_000);
    void ask("b").then((late) => told.push(late));
    fail("b");
    await Promise.resolve();
    expect(told).toEqual([]);
  });
});
