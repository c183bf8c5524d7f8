import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConnectionPool } from "../../../src/adapters/undici/connection-pool.ts";
import { defaultUndiciFetcherOptions } from "../../../src/adapters/undici/undici-fetcher.ts";
import { loopback } from "./http-harness.ts";

const target = { origin: "http://site.example", address: loopback, headBytesMax: 1_024 };

describe("ConnectionPool", () => {
  let pool: ConnectionPool;
  beforeEach(() => {
    pool = new ConnectionPool(defaultUndiciFetcherOptions);
  });
  afterEach(async () => {
    await pool.stop();
  });

  it("leases the idle connection of a target that was used last", () => {
    const [first, last] = [pool.lease(target), pool.lease(target)];
    pool.release(first);
    pool.release(last);
    expect(pool.lease(target)).toBe(last);
    expect(pool.lease({ ...target, origin: "http://other.example" })).not.toBe(first);
    expect(pool.lease(target)).toBe(first);
    expect([pool.leasedCount, pool.idleCount]).toEqual([3, 0]);
  });

  it("leases a new connection where it has to be new, and keeps the idle one for the next", () => {
    const idle = pool.lease(target);
    pool.release(idle);
    const fresh = pool.lease(target, true);
    expect(fresh).not.toBe(idle);
    expect([pool.leasedCount, pool.idleCount]).toEqual([1, 1]);
    pool.release(fresh);
    expect(pool.lease(target)).toBe(fresh);
  });

  it("leases for another bound of the head another connection", () => {
    const idle = pool.lease(target);
    pool.release(idle);
    expect(pool.lease({ ...target, headBytesMax: 2_048 })).not.toBe(idle);
    expect(pool.lease(target)).toBe(idle);
  });

  it("keeps the idle connections that were used last, as many as it may", () => {
    pool = new ConnectionPool({ ...defaultUndiciFetcherOptions, idleConnectionsMax: 2 });
    const others = ["http://a.example", "http://b.example"].map((origin) => ({
      ...target,
      origin,
    }));
    const all = [target, ...others].map((one) => pool.lease(one));
    for (const connection of all) pool.release(connection);
    expect(pool.idleCount).toBe(2);
    expect(others.map((one) => pool.lease(one))).toEqual(all.slice(1));
    expect(pool.lease(target)).not.toBe(all[0]);
  });

  it("keeps no connection that is given back after it was stopped", async () => {
    const leased = pool.lease(target);
    const stopped = pool.stop();
    const late = pool.lease(target);
    pool.release(leased);
    pool.release(late);
    await stopped;
    expect([pool.leasedCount, pool.idleCount]).toEqual([0, 0]);
  });
});
