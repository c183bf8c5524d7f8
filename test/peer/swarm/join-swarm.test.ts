import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { MemberId, Millis } from "../../../src/core/units.ts";
import { joinSwarm } from "../../../src/peer/swarm/join-swarm.ts";
import type { JoinOutcome } from "../../../src/ports/overlay.ts";

/** Looks for the swarm through 100 addresses, of which `runs` tells those where a member is, which tell of the swarm. */
async function look(runs: (at: number) => boolean, answerMs: Millis) {
  const clock = new VirtualClock();
  const over = new AbortController();
  const seen = { asked: 0, askedAtOnce: 0, joined: [] as MemberId[], failed: 0, foundAtMs: 0 };
  const view = {
    others: [] as MemberId[],
    setRole: () => undefined,
    join: (contacts: readonly MemberId[]): void => {
      seen.joined.push(...contacts);
      view.others = [...contacts];
      seen.foundAtMs ||= clock.nowMs() - startedAtMs;
    },
  };
  let open = 0;
  const join = async (address: string): Promise<JoinOutcome> => {
    seen.asked += 1;
    open += 1;
    seen.askedAtOnce = Math.max(seen.askedAtOnce, open);
    await clock.sleep(answerMs);
    open -= 1;
    return runs(Number(address))
      ? { kind: "joined", member: address as MemberId }
      : { kind: "unreachable", detail: "nobody is there" };
  };
  const addresses = Array.from({ length: 100 }, (_, at) => String(at));
  const logger = { warn: () => (seen.failed += 1) };
  const startedAtMs = clock.nowMs();
  await clock.run(joinSwarm({ clock, logger, overlay: { join } }, view, addresses, over.signal));
  return seen;
}

describe("a peer that looks for its swarm", () => {
  it("asks some of the addresses that it knows, not hundreds", async () => {
    const { asked, joined } = await look(() => true, 10);
    expect(asked).toBe(16);
    expect(joined).toHaveLength(16);
  });

  it("finds the one that runs among many that do not", async () => {
    const seen = await look((at) => at === 99, 1_000);
    expect(seen).toEqual({
      asked: 100,
      askedAtOnce: 16,
      joined: ["99"],
      failed: 99,
      foundAtMs: 7_000,
    });
  });

  it("tries all of them again where none answered", async () => {
    let rounds = 0;
    const { asked, joined } = await look((at) => at === 0 && (rounds += 1) === 3, 10);
    expect({ asked, joined }).toEqual({ asked: 216, joined: ["0"] });
  });
});
