import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { MemberRole } from "../../../../src/core/membership/member.ts";
import type { MemberId, Millis } from "../../../../src/core/units.ts";
import { joinSwarm } from "../../../../src/peer/swarm/members/join-swarm.ts";
import type { JoinOutcome } from "../../../../src/ports/overlay.ts";

/** Looks for the swarm through 100 addresses; `runs` tells where a member is. */
async function look(
  runs: (at: number) => boolean,
  { isPatient = false, joinsInMs = 0, losses = 0, stopsAtMs = Infinity, takesMs = answerMs } = {},
) {
  const clock = new VirtualClock();
  const over = new AbortController();
  const found = new AbortController();
  const seen = { asked: 0, joined: [] as MemberId[], failed: 0 };
  const view = {
    others: [] as MemberId[],
    role: "joining" as MemberRole,
    setRole: () => undefined,
    join: (contacts: readonly MemberId[]): void => {
      seen.joined.push(...contacts);
      view.others = [...contacts];
      if (seen.joined.length > losses)
        void clock.sleep(joinsInMs).then(() => (view.role = "active"));
      else void clock.sleep(lossMs).then(() => (view.others = []));
    },
  };
  const join = async (address: string): Promise<JoinOutcome> => {
    seen.asked += 1;
    await clock.sleep(takesMs);
    if (!runs(Number(address))) {
      // As the daemon's overlay does: it tries an address until a member answers at any.
      if (isPatient) await clock.sleep(3_600_000, found.signal);
      return { kind: "unreachable", detail: "nobody is there" };
    }
    found.abort("found");
    return { kind: "joined", member: address as MemberId };
  };
  const addresses = Array.from({ length: 100 }, (_, at) => String(at));
  const logger = { warn: () => (seen.failed += 1) };
  if (stopsAtMs < Infinity) void clock.sleep(stopsAtMs).then(() => over.abort());
  await clock.run(joinSwarm({ clock, logger, overlay: { join } }, view, addresses, over.signal));
  return seen;
}

const answerMs: Millis = 10;

/** Time until a member is lost that was found. */
const lossMs: Millis = 4_000;

describe("a peer that looks for its swarm", () => {
  it("asks some of the members that answer, not hundreds", async () => {
    const { asked, joined } = await look(() => true);
    expect(asked).toBe(100);
    expect(joined).toHaveLength(16);
  });

  it.each([false, true])("finds the one that runs among many (patient: %s)", async (isPatient) => {
    const { joined, failed } = await look((at) => at === 99, { isPatient });
    expect({ joined, failed }).toEqual({ joined: ["99"], failed: 99 });
  });

  it("looks for another where the one that it has found is lost before it has joined", async () => {
    const { joined } = await look((at) => at === 1, { losses: 2 });
    expect(joined).toEqual(["1", "1", "1"]);
  });

  it("has one attempt at an address under way, however long that takes", async () => {
    const { asked } = await look((at) => at === 0, { takesMs: 60_000 });
    expect(asked).toBe(100);
  });

  it("asks nobody else while the one that it has found lets it join", async () => {
    const { asked, joined } = await look((at) => at === 0, { joinsInMs: 60_000 });
    expect({ asked, joined }).toEqual({ asked: 100, joined: ["0"] });
  });

  it("blames no address for an attempt that its own stop cuts off", async () => {
    const { asked, failed } = await look(() => false, { stopsAtMs: answerMs / 2 });
    expect({ asked, failed }).toEqual({ asked: 100, failed: 0 });
  });

  it("tries all of them again where none answered", async () => {
    let rounds = 0;
    const { asked, joined } = await look((at) => at === 0 && (rounds += 1) === 3);
    expect({ asked, joined }).toEqual({ asked: 300, joined: ["0"] });
  });
});
