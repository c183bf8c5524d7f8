import { describe, expect, it } from "vitest";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { Unanswered } from "../../../src/peer/swarm/unanswered.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { SwarmBench } from "./swarm-bench.ts";

const [one, other] = ["one", "other"] as MemberId[] as [MemberId, MemberId];

/** Whether it is answered or not is said at moments in seconds; what is logged comes with its moment. */
function newLog() {
  const clock = { atSeconds: 0, nowMs: () => clock.atSeconds * 1_000 };
  const told: unknown[] = [];
  const log = (event: string, fields?: object): void => {
    told.push([clock.atSeconds, event, fields]);
  };
  return { clock, told, unanswered: new Unanswered({ clock, logger: { info: log, warn: log } }) };
}

describe("Unanswered", () => {
  it("tells once of a member that leaves a kind of request unanswered for 30 s, and when that is over", () => {
    const { clock, told, unanswered } = newLog();
    for (clock.atSeconds = 0; clock.atSeconds <= 60; clock.atSeconds += 5) {
      unanswered.failed(one, "rows");
      unanswered.answered(one, "synced");
      unanswered.failed(other, "rows");
      if (clock.atSeconds === 25) unanswered.answered(other, "rows");
    }
    unanswered.answered(one, "rows");
    expect(told).toEqual([
      [30, "member-takes-nothing", { member: one, request: "rows", forSeconds: 30 }],
      [60, "member-takes-nothing", { member: other, request: "rows", forSeconds: 30 }],
      [65, "member-takes-again", { member: one, request: "rows" }],
    ]);
  });

  it("does not count the time in which nothing was asked", () => {
    const { clock, told, unanswered } = newLog();
    for (clock.atSeconds = 0; clock.atSeconds < 400; clock.atSeconds += 40)
      unanswered.failed(one, "rows");
    expect(told).toEqual([]);
  });
});

it("a member that keeps no copy, though it lives, is in the logs of the others", async () => {
  const told = new Set<string>();
  const withoutRows = (ports: PeerPorts): PeerPorts => {
    const { overlay } = ports;
    if (overlay?.self !== "peer-2") return ports;
    const serve = overlay.serve.bind(overlay);
    overlay.serve = (kind, handler) => {
      if (kind !== messageKinds.rows) serve(kind, handler);
    };
    return ports;
  };
  const bench = new SwarmBench(0, {}, {}, withoutRows);
  for (let index = 0; index < 3; index += 1) {
    bench.world.addMachine({
      onLog: ({ peer, event, fields }) => {
        if (event !== "member-takes-nothing" || fields?.["request"] !== "rows") return;
        told.add(`${peer}: ${String(fields["member"])}`);
      },
    });
  }
  await bench.run(async () => {
    await Promise.all(bench.world.machines.map((machine) => machine.start()));
    await bench.pass(5_000);
    await bench.inject(0, { delayMs: 500 }).catch(() => undefined);
    await bench.pass(60_000);
  });
  expect(told).toEqual(new Set(["peer-0: peer-2", "peer-1: peer-2"]));
});
