import { expect, it } from "vitest";
import { Homecoming } from "../../../../src/peer/swarm/ownership/homecoming.ts";

it("a disk that was empty when it was first looked at had nothing of an earlier run, whatever came since", async () => {
  let rows: object[] = [];
  const store = { range: () => Promise.resolve(rows) };
  const fresh = new Homecoming({ store } as never, {} as never);
  expect(await fresh.hadRows()).toBe(false);
  rows = [{}];
  expect(await fresh.hadRows()).toBe(false);
  expect(await new Homecoming({ store } as never, {} as never).hadRows()).toBe(true);
});
