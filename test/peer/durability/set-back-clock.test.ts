import { describe, expect, it } from "vitest";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { hostAddress, hostKey, robotsKey } from "../../../src/core/record/host-keys.ts";
import { namedKey } from "../../../src/core/record/named-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { HostRecord, RobotsRecord } from "../../../src/core/record/record.pb.ts";
import type { HostName, Millis, OriginName, SiteName } from "../../../src/core/units.ts";
import { followClockBack, timeOp } from "../../../src/peer/durability/set-back-clock.ts";
import type { Store } from "../../../src/ports/store.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

const hourMs = 3_600_000;
/** Of the last commit. */
const lastMs = Date.UTC(2030, 0, 1);
/** More than go into two batches. */
const hosts = 2_500;
const restMs = 60_000;

/** Many hosts that rest for a minute from the last commit on, or for as long as told. */
function keptDisk(wallMs = lastMs, leftMs = restMs): VirtualDisk {
  const disk = new VirtualDisk();
  disk.apply([timeOp(lastMs, wallMs)]);
  const until = { nextFetchAtMs: lastMs + leftMs, politeUntilMs: lastMs + leftMs };
  for (let number = 0; number < hosts; number += 1) {
    const host = `h${number}.example`;
    const key = hostKey("host", hostAddress(host as SiteName, host as HostName));
    const value = HostRecord.encode({
      host,
      ...until,
      failuresInRow: 0,
      breakerBuckets: [],
      jobs: [],
    });
    disk.apply([{ type: "put", key, value }]);
  }
  return disk;
}

/** The same, with more robots.txt than go into two batches, each read ten hours before the last commit. */
function robotsDisk(): VirtualDisk {
  const disk = keptDisk();
  for (let number = 0; number < 250; number += 1) {
    const site = `h${number}.example`;
    const origin = `http://${site}` as OriginName;
    const value = RobotsRecord.encode({
      origin,
      verdict: "rules",
      body: "Allow: /",
      fetchedAtMs: lastMs - 10 * hourMs,
      expiresAtMs: lastMs + 14 * hourMs,
      httpStatus: 200,
      failuresInRow: 0,
    });
    disk.apply([{ type: "put", key: robotsKey(site as SiteName, origin), value }]);
  }
  return disk;
}

/** How old each robots.txt is at `nowMs`, and how long it is still good for, in hours, each pair once. */
function robotsHours(disk: VirtualDisk, nowMs: Millis): string[] {
  const rows = disk.entries(tagRange("robots")).map(({ value }) => RobotsRecord.decode(value));
  const pairs = rows.map(({ fetchedAtMs, expiresAtMs }) =>
    [nowMs - fetchedAtMs, expiresAtMs - nowMs].map((ms) => ms / hourMs).join(),
  );
  return [...new Set(pairs)];
}

/** A start at that time; it ends before the write with that number. */
async function start(disk: VirtualDisk, nowMs: Millis, endsAtWrite = Infinity): Promise<void> {
  const store = timelessStore(disk);
  await store.start();
  let writes = 0;
  const mortal: Pick<Store, "get" | "range" | "write"> = {
    get: (key) => store.get(key),
    range: (range, limit) => store.range(range, limit),
    write: async (ops, options) => {
      writes += 1;
      if (writes >= endsAtWrite) throw new Error("killed");
      await store.write(ops, options);
    },
  };
  const ports = { clock: { nowMs: () => nowMs }, logger: silentLogger, store: mortal };
  if (endsAtWrite === Infinity) await followClockBack(ports);
  else await expect(followClockBack(ports)).rejects.toThrow("killed");
  await store.stop();
}

/** How long hosts rest from `nowMs` on, each length once. */
function restsMs(disk: VirtualDisk, nowMs: Millis): Millis[] {
  const rows = disk.entries(tagRange("host")).map(({ value }) => HostRecord.decode(value));
  return [...new Set(rows.map(({ nextFetchAtMs }) => nextFetchAtMs - nowMs))];
}

describe("a clock that was set back between two runs", () => {
  const nowMs = lastMs - 5 * hourMs;

  it("leaves of each rest what was left of it", async () => {
    const disk = keptDisk();
    await start(disk, nowMs);
    expect(restsMs(disk, nowMs)).toEqual([restMs]);
    // The next run has nothing to take back, and leaves the rest as it is.
    await start(disk, nowMs + 20_000);
    expect(restsMs(disk, nowMs)).toEqual([restMs]);
  });

  it("begins no rest anew that was over", async () => {
    const disk = keptDisk(lastMs, -restMs);
    await start(disk, nowMs);
    expect(restsMs(disk, nowMs)).toEqual([-restMs]);
  });

  it("shortens no rest twice where a start ends half-way", async () => {
    for (const endsAtWrite of [1, 2, 3, 4]) {
      const disk = keptDisk();
      await start(disk, nowMs, endsAtWrite);
      await start(disk, nowMs);
      expect(restsMs(disk, nowMs)).toEqual([restMs]);
    }
  });

  it("makes no robots.txt younger, also where a start ends half-way", async () => {
    for (const endsAtWrite of [Infinity, 1, 4, 5, 6, 7, 8]) {
      const disk = robotsDisk();
      await start(disk, nowMs, endsAtWrite);
      await start(disk, nowMs);
      expect(robotsHours(disk, nowMs)).toEqual(["10,14"]);
      expect(restsMs(disk, nowMs)).toEqual([restMs]);
    }
  });

  it("by seconds leaves each robots.txt as it is", async () => {
    const disk = robotsDisk();
    await start(disk, lastMs - 2_000);
    expect(robotsHours(disk, lastMs)).toEqual(["10,14"]);
  });

  it("is followed once more where it is set back again before the first is over", async () => {
    const disk = keptDisk();
    await start(disk, nowMs, 3);
    await start(disk, nowMs - hourMs);
    expect(restsMs(disk, nowMs - hourMs)).toEqual([restMs]);
  });
});

describe("a clock that was set, or a machine that was asleep, during the last run", () => {
  const nowMs = lastMs + 5 * hourMs;

  it("leaves of each rest what was left of it when the machine slept", async () => {
    const disk = keptDisk(nowMs);
    await start(disk, nowMs + 20_000);
    expect(restsMs(disk, nowMs)).toEqual([restMs]);
    await start(disk, nowMs + 30_000);
    expect(restsMs(disk, nowMs)).toEqual([restMs]);
  });

  it("lengthens no rest twice where a start ends half-way", async () => {
    for (const endsAtWrite of [1, 2, 3, 4]) {
      const disk = keptDisk(nowMs);
      await start(disk, nowMs, endsAtWrite);
      await start(disk, nowMs);
      expect(restsMs(disk, nowMs)).toEqual([restMs]);
    }
  });

  it("leaves no more of a rest than was left where the clock is set back again between two runs", async () => {
    const disk = keptDisk(nowMs);
    await start(disk, lastMs + hourMs);
    expect(restsMs(disk, lastMs + hourMs)).toEqual([restMs]);
  });

  it("leaves rests alone that are over, however far the clock went", async () => {
    const disk = keptDisk(nowMs);
    await start(disk, nowMs + 2 * restMs);
    expect(restsMs(disk, lastMs)).toEqual([restMs]);
  });

  it("takes clocks back that were ahead, also where the next run begins after they were saved", async () => {
    const disk = keptDisk(lastMs - 5 * hourMs);
    await start(disk, lastMs - 5 * hourMs + 20_000);
    expect(restsMs(disk, lastMs - 5 * hourMs)).toEqual([restMs]);
  });
});

it("reads the time that an earlier version has kept", async () => {
  const disk = keptDisk();
  const key = namedKey("meta", "time");
  disk.apply([{ type: "put", key, value: new TextEncoder().encode(String(lastMs)) }]);
  await start(disk, lastMs - hourMs);
  expect(restsMs(disk, lastMs - hourMs)).toEqual([restMs]);
});

it("shortens no rest because time has passed, or a clock has been set forward", async () => {
  const disk = keptDisk();
  for (const nowMs of [lastMs - 500, lastMs + 1_000, lastMs + hourMs]) {
    await start(disk, nowMs);
    expect(restsMs(disk, lastMs)).toEqual([restMs]);
  }
});
