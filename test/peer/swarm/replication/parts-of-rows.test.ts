import { describe, expect, it } from "vitest";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { hostAddress, ringPosition } from "../../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import { positionOf } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, SiteName } from "../../../../src/core/units.ts";
import {
  partsOfRows,
  queueRowsMax,
  togetherMax,
} from "../../../../src/peer/swarm/replication/parts-of-rows.ts";

const value = new Uint8Array(1);
const held = "held.example" as HostName & SiteName;
const other = "other.example" as HostName & SiteName;
const territory = { holds: (position: number) => position === positionOf(held) };

function recordKeyAt(host: SiteName): Uint8Array {
  return urlKey("url", ringPosition(host), new Uint32Array(4), 0, 1);
}

function queued(host: HostName & SiteName, count: number): Row[] {
  const key = queueKey(hostAddress(host, host), 1, 0, 1, [recordKeyAt(host)]);
  return Array.from({ length: count }, () => ({ key, value }));
}

function records(count: number): Row[] {
  const key = recordKeyAt(held);
  return Array.from({ length: count }, () => ({ key, value }));
}

describe("the parts in which a message's rows are merged", () => {
  it("is one for what a member sends that is to arrive together", () => {
    const rows = [...records(1_000), ...queued(held, queueRowsMax), ...queued(other, 2_000)];
    expect(partsOfRows(rows, territory)).toEqual([rows]);
    expect(partsOfRows([], territory)).toEqual([]);
  });

  it("have few rows for queues that are held here, and all of these before the others", () => {
    const [heavy, light] = [queued(held, 2 * queueRowsMax + 1), records(togetherMax + 1)];
    const parts = partsOfRows([...light, ...heavy], territory);
    const lengths = [queueRowsMax, queueRowsMax, 1, togetherMax, 1];
    expect(parts.map(({ length }) => length)).toEqual(lengths);
    expect(parts.flat()).toEqual([...heavy, ...light]);
  });

  it("have behind the records those rows out of which something was taken", () => {
    const urls = ["http://held.example/1", "http://held.example/2"];
    const discovery = { depth: 1, attempts: 0, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
    const rowWith = (taken: number): Row[] =>
      queued(held, 1).map(({ key }) => ({
        key,
        value: QueueBundle.encode({ urls, ...discovery, taken }),
      }));
    const [whole, begun] = [rowWith(0), rowWith(1)];
    const ended = Array.from({ length: queueRowsMax }, () => [...begun, ...whole, ...records(1)]);
    const parts = partsOfRows(ended.flat(), territory).flat();
    const kinds = [...whole, ...records(1), ...begun].map(({ value: of }) => of);
    expect(parts.map(({ value: of }) => of)).toEqual(
      kinds.flatMap((of) => Array.from({ length: queueRowsMax }, () => of)),
    );
  });

  it("count no row that is to be deleted, which is not looked at", () => {
    const rows = queued(held, 3 * queueRowsMax).map(({ key }) => ({ key }));
    expect(partsOfRows(rows, territory)).toEqual([rows]);
  });
});
