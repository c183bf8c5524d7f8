import { decode, encode } from "dns-packet";
import type { MultiaddrConnection, PeerId } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { Key } from "interface-datastore/key";
import { describe, expect, it } from "vitest";
import { BoundedDatastore } from "../../../src/adapters/libp2p/bounded-datastore.ts";
import { Conduct } from "../../../src/adapters/libp2p/conduct.ts";
import { CollectingBudget, MemoryBudget } from "../../../src/adapters/libp2p/memory-budget.ts";
import { Newcomers } from "../../../src/adapters/libp2p/newcomers.ts";
import { serviceNameOf } from "../../../src/adapters/libp2p/new-node.ts";
import { RateLimit } from "../../../src/adapters/libp2p/rate-limit.ts";
import type { MemberId } from "../../../src/core/units.ts";

const peer = (at: number): MemberId => `peer-${at}` as MemberId;

describe("conduct", () => {
  it("keeps a denied peer out for its time, and nobody else", () => {
    const conduct = new Conduct();
    expect(conduct.deny(peer(1), "why", 1_000, 0)).toBe(true);
    expect(conduct.deny(peer(1), "less", 100, 500)).toBe(false);
    expect(conduct.denialOf(peer(1), 999)).toBe("why");
    expect(conduct.denialOf(peer(1), 1_000)).toBeUndefined();
    expect(conduct.denialOf(peer(2), 0)).toBeUndefined();
  });

  it("finds the third offence within a minute one too many", () => {
    const conduct = new Conduct();
    expect([0, 1, 2].map((atMs) => conduct.offend(peer(1), atMs))).toEqual([false, false, true]);
    expect([0, 1, 60_000].map((atMs) => conduct.offend(peer(2), atMs))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("forgets the oldest of too many peers", () => {
    const conduct = new Conduct();
    for (let at = 0; at <= 1_024; at += 1) conduct.deny(peer(at), "why", 1_000, 0);
    expect(conduct.denialOf(peer(0), 0)).toBeUndefined();
    expect(conduct.denialOf(peer(1), 0)).toBe("why");
  });
});

describe("connections on which nobody has greeted", () => {
  /** What becomes of connections from these addresses, where there may be three. */
  function come(hosts: readonly string[], greeting: readonly number[] = []): string[] {
    const newcomers = new Newcomers(3);
    const ended: string[] = [];
    const fulls = hosts.map((host, n) => {
      const connection = Object.assign(new EventTarget(), {
        remoteAddr: { toString: () => `/${host}/tcp/${n}` },
        abort: () => ended.push(`${host} ${n}`),
      }) as unknown as MultiaddrConnection;
      const isFull = newcomers.came(connection);
      const id = { toString: () => peer(n) } as unknown as PeerId;
      newcomers.proved(connection, id);
      if (greeting.includes(n)) newcomers.greeted(peer(n));
      return isFull;
    });
    expect(fulls.filter((isFull) => isFull).length).toBe(ended.length);
    return ended;
  }

  it("end where there are too many, the oldest one of the host that has the most", () => {
    const [a, b, c, d] = [
      "ip4/127.0.0.1",
      "ip4/127.0.0.2",
      "ip4/127.0.0.3",
      "ip4/127.0.0.4",
    ] as const;
    expect(come([a, b, c])).toEqual([]);
    expect(come([a, b, b, c])).toEqual([`${b} 1`]);
    expect(come([a, b, c, d])).toEqual([`${a} 0`]);
    expect(come([a, b, c, d], [1])).toEqual([]);
  });

  it("count as one host's where they come from one network of IPv6", () => {
    const near = ["ip6/::1:1:1", "ip6/::2:0:0:1"] as const;
    expect(come(["ip6/1::1", ...near, "ip6/2::1"])).toEqual([`${near[0]} 1`]);
    const mapped = ["ip6/::ffff:127.0.0.1", "ip6/::ffff:127.0.0.2"];
    expect(come(["ip6/1::1", ...mapped, "ip6/2::1"])).toEqual(["ip6/1::1 0"]);
  });
});

describe("the service that a swarm is on the local network", () => {
  it("has a name that fits DNS, and a swarm of another name has another", () => {
    const swarms = ["web", "a".repeat(52), "a".repeat(53), "a".repeat(64), `${"a".repeat(63)}b`];
    const names = swarms.map(serviceNameOf);
    expect(names[0]).toBe("_orbweaver-web._udp.local");
    expect(new Set(names).size).toBe(swarms.length);
    for (const name of names) {
      const packet = encode({ type: "query", questions: [{ name, type: "PTR" }] });
      expect(decode(packet).questions).toMatchObject([{ name }]);
    }
  });
});

describe("a rate limit", () => {
  it("lets each peer have its weight in each second", () => {
    const limit = new RateLimit(10);
    expect(limit.allows("a", 0, 6)).toBe(true);
    expect(limit.allows("a", 999, 6)).toBe(false);
    expect(limit.allows("a", 999, 4)).toBe(true);
    expect(limit.allows("b", 999, 10)).toBe(true);
    expect(limit.allows("a", 1_000, 6)).toBe(true);
  });
});

describe("memory budgets", () => {
  it("grant what is left, and what is given back", () => {
    const budget = new MemoryBudget(10);
    expect([budget.take(6), budget.take(5), budget.take(4)]).toEqual([true, false, true]);
    budget.give(6);
    expect([budget.take(7), budget.take(6)]).toEqual([false, true]);
  });

  it("of frames that arrive evict the one that is under way for the longest time", () => {
    const budget = new CollectingBudget(10);
    const evicted: string[] = [];
    const collector = (name: string) => ({ evict: () => evicted.push(name) });
    const [a, b, c] = [collector("a"), collector("b"), collector("c")];
    budget.hold(a, 4);
    budget.hold(b, 4);
    budget.hold(a, 5);
    expect(evicted).toEqual([]);
    budget.hold(c, 3);
    expect(evicted).toEqual(["a"]);
    budget.release(b);
    budget.hold(c, 10);
    expect(evicted).toEqual(["a"]);
    budget.hold(b, 1);
    expect(evicted).toEqual(["a", "c"]);
  });
});

describe("libp2p's memory", () => {
  const self = peerIdFromString("12D3KooWE5zf7qRRPkj5StqTkLmJjzSL22G2RRaM9NTfsooDCvuw");
  const put = async (store: BoundedDatastore, name: string, bytes = 1): Promise<Key> =>
    await store.put(new Key(name), new Uint8Array(bytes));

  it("loses the oldest entry of a kind when there are too many of that kind", async () => {
    const store = new BoundedDatastore(self, { entriesMax: 2, bytesMax: 100_000 });
    const keys = ["/peers/a", "/peers/b", "/dht/a", "/peers/c"].map((name) => new Key(name));
    for (const key of keys) await store.put(key, Uint8Array.of(1));
    expect(keys.map((key) => store.has(key))).toEqual([false, true, true, true]);
    await put(store, "/dht/b", 20_000);
    expect(await store.has(new Key("/dht/b"))).toBe(false);
    const long = await put(store, `/dht/${"c".repeat(600)}`);
    expect(await store.has(long)).toBe(false);
    await store.delete(new Key("/peers/b"));
    await put(store, "/peers/d");
    expect(await store.has(new Key("/peers/c"))).toBe(true);
  });

  it("loses the oldest entries of a kind when they are too long together", async () => {
    const store = new BoundedDatastore(self, { entriesMax: 100, bytesMax: 10_000 });
    for (const name of ["/peers/a", "/peers/b", "/peers/b", "/peers/b", "/dht/a"]) {
      await put(store, name, 4_000);
    }
    expect(await store.has(new Key("/peers/a"))).toBe(true);
    await put(store, "/peers/c", 9_000);
    const names = ["/peers/a", "/peers/b", "/peers/c", "/dht/a"];
    expect(names.map((name) => store.has(new Key(name)))).toEqual([false, false, true, true]);
  });

  it("never loses what the peer is itself", async () => {
    const store = new BoundedDatastore(self, { entriesMax: 2, bytesMax: 10_000 });
    const own = await put(store, `/peers/${self.toCID().toString()}`);
    for (const name of ["/peers/a", "/peers/b", "/peers/c"]) await put(store, name, 4_000);
    expect(await store.has(own)).toBe(true);
    expect(await store.has(new Key("/peers/a"))).toBe(false);
  });
});
