import { expect, it } from "vitest";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { encodeRows, type Row } from "../../../src/core/messages/rows.ts";
import { hostAddress, ringPosition } from "../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import type { HostName, MemberId, SiteName } from "../../../src/core/units.ts";
import { PeerHandlers } from "../../../src/peer/swarm/peer-handlers.ts";
import type { OverlayHandler } from "../../../src/ports/overlay.ts";

const host = "a.example" as HostName & SiteName;

it("a message with thousands of rows for queues that are held is merged bit by bit", async () => {
  const record = urlKey("url", ringPosition(host), new Uint32Array(4), 0, 1);
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    key: queueKey(hostAddress(host, host), 1, 0, at, [record]),
    value: Uint8Array.of(1),
  }));
  const taken: number[] = [];
  const keeper = {
    take: (part: readonly Row[]) => Promise.resolve(taken.push(part.length)),
  };
  const handlers = new Map<number, OverlayHandler>();
  const overlay = {
    serve: (kind: number, handler: OverlayHandler): void => void handlers.set(kind, handler),
  };
  const parts = { keeper, territory: { holds: () => true } };
  const clock = { nowMs: () => 0 };
  new PeerHandlers({ clock } as never, parts as never).serve(overlay as never);
  const payload = encodeRows({ generation: 1, nowMs: 0, rows });
  const outcome = await handlers.get(messageKinds.rows)?.("one" as MemberId, payload);
  expect(outcome?.kind).toBe("reply");
  expect(Math.max(...taken)).toBeLessThan(200);
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(rows.length);
});
