import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { JobId } from "../../../src/core/units.ts";
import { LoneDesk, type DeskParts } from "../../../src/peer/answers/question-desk.ts";
import { SwarmDesk } from "../../../src/peer/swarm/answers/swarm-desk.ts";

const job = "j" as JobId;

type SwarmParts = ConstructorParameters<typeof SwarmDesk>[0];

it.each(["a peer alone", "a member of a swarm"])(
  "lists few of the URLs that are asked for at once, and none for who is gone: %s",
  async (who) => {
    const go = Promise.withResolvers<undefined>();
    let [listing, most, lists] = [0, 0, 0];
    const stretch = async (): Promise<{ urls: [] }> => {
      lists += 1;
      listing += 1;
      most = Math.max(most, listing);
      await go.promise;
      listing -= 1;
      return { urls: [] };
    };
    const common = { clock: new VirtualClock(), jobs: { get: () => undefined } };
    const desk =
      who === "a peer alone"
        ? new LoneDesk({ ...common, scan: { stretch } } as unknown as DeskParts, 0)
        : new SwarmDesk({ ...common, lists: { stretch } } as unknown as SwarmParts);
    const gone = new AbortController();
    const asked = Array.from({ length: 100 }, (_, n) =>
      desk.urls(job, { state: "failed" }, undefined, n % 2 === 0 ? undefined : gone.signal),
    );
    await new Promise(setImmediate);
    expect(lists).toBe(4);
    gone.abort();
    go.resolve(undefined);
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(50 + 2);
    expect(most).toBe(4);
  },
);
