import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { partition } from "../../../sim/world/network-rules.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** As many sites as in other tests, with fewer pages: for crawls that are waited for. */
const smallWeb = {
  sampleWeb: { ...plainSampleWebOptions, sites: 12, totalPages: 72, seed: 1 },
};
/** Sites that are as long to crawl as in other tests, and half as many. */
const halfWeb = {
  sampleWeb: { ...plainSampleWebOptions, sites: 6, totalPages: 120, seed: 1 },
};

const ranks = { unknown: 0, excluded: 1, queued: 2, done: 3 } as const;

/**
 * Asks the first peer and the last one in turns, neither of which is killed, until `signal` aborts; every claim that is
 * behind an earlier one.
 */
async function watchOrder(bench: SwarmBench, signal: AbortSignal): Promise<string[]> {
  const furthest = new Map<string, UrlStatus>();
  const faults: string[] = [];
  for (let turn = 0; !signal.aborted; turn += 1) {
    const peer = bench.peer(turn % 2 === 0 ? 0 : 3);
    const asked = bench.world.sampleWeb.rootUrls().concat(bench.urls).slice(-40);
    const statuses = await peer.status(asked);
    for (const status of statuses) {
      if (status.reason === "owner-unreachable" || status.unconfirmed) continue;
      const before = furthest.get(status.url);
      if (before && ranks[status.state] < ranks[before.state]) {
        faults.push(`${peer.peerId}: ${JSON.stringify([before, status])}`);
      } else if (!status.replica) furthest.set(status.url, status);
    }
    await bench.pass(300);
  }
  return faults;
}

describe("a swarm that is asked for the state of URLs", () => {
  it("says what has been done while their holder stood still, to whoever asks when it goes on", async () => {
    const bench = new SwarmBench(4);
    const said = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.pass(1_000);
      bench.machine(2).standStill();
      await bench.pass(30_000);
      bench.machine(2).goOn();
      const urls = bench.urls.filter((_, at) => at % 4 === 0);
      const questions: Promise<UrlStatus[]>[] = [];
      for (let at = 0; at < 60; at += 1) {
        questions.push(bench.peer(at % 2 === 0 ? 2 : 1).status(urls));
        await bench.pass(10);
      }
      return (await Promise.all(questions)).flat();
    });
    const behind = said.filter(({ state, reason }) => {
      return state !== "done" && reason !== "owner-unreachable";
    });
    expect(said.length).toBeGreaterThan(1_000);
    expect(behind).toEqual([]);
  });

  it("gives the same answer at every peer, in the order asked", async () => {
    const bench = new SwarmBench(4, smallWeb);
    const answers = await bench.run(async () => {
      await bench.begin();
      await bench.inject(1);
      await bench.finished(2);
      const asked = [...bench.urls, "http://never-heard-of.example/", "ftp://no-url"];
      return Promise.all(bench.peers.map((peer) => peer.status(asked)));
    });
    const [first = []] = answers;
    expect(first.length).toBe(74);
    expect(first.slice(0, 72).every(({ state }) => state === "done")).toBe(true);
    expect(first.slice(0, 72).map(({ owner }) => owner)).toEqual(
      first.slice(0, 72).map(({ url }) => `peer-${bench.holderOf(url)}`),
    );
    expect(new Set(first.map(({ owner }) => owner)).size).toBe(4);
    expect(first[72]).toMatchObject({ state: "unknown" });
    expect(first[72]?.reason).toBeUndefined();
    expect(first[73]).toMatchObject({ state: "unknown", reason: "invalid-url" });
    const withoutLast = answers.map((statuses) => statuses.slice(0, 73));
    for (const other of withoutLast) expect(other).toEqual(withoutLast[0]);
  });

  it("answers from a copy, and says so, while nobody holds the site", async () => {
    const bench = new SwarmBench(4, smallWeb);
    const { late, owner, answers } = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const [url = ""] = bench.urls;
      const holder = bench.holderOf(url);
      bench.machine(holder).kill();
      const asked = bench.peers.map((peer) => peer.status([url]));
      const answers = (await Promise.all(asked)).flat();
      await bench.pass(20_000);
      const [late] = await (bench.peers[0]?.status([url]) ?? []);
      return { late, owner: `peer-${holder}`, answers };
    });
    for (const answer of answers) expect(answer).toMatchObject({ state: "done", replica: true });
    expect(answers.map((answer) => answer.owner)).toEqual([owner, owner, owner]);
    expect(late).toMatchObject({ state: "done" });
    expect(late).not.toHaveProperty("replica");
    expect(late?.owner).not.toBe(owner);
  });

  it("says what its owner alone knows as such, until the copies have it too", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 300 });
      await bench.pass(1_000);
      const before = new Set(bench.urls);
      const heal = bench.world.network.addRule(partition([0], [1, 2]));
      await bench.pass(1_200);
      const fresh = bench.urls.filter((url) => !before.has(url) && bench.holderOf(url) === 0);
      expect(fresh.length).toBeGreaterThan(0);
      for (const status of await bench.peer(0).status(fresh)) expect(status.unconfirmed).toBe(true);
      heal();
      await bench.pass(6_000);
      for (const status of await bench.peer(0).status(fresh)) {
        expect(status.state).toBe("done");
        expect(status).not.toHaveProperty("unconfirmed");
      }
    });
  });

  it("takes no answer from a copy that is not complete", async () => {
    const bench = new SwarmBench(4, smallWeb);
    const answers = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const [url = ""] = bench.urls;
      const { id, peer } = bench.machine(bench.holderOf(url));
      const { generation } = peer.swarm?.view ?? { generation: 0 };
      for (const other of bench.peers) {
        other.swarm?.territory.note(ArcSet.whole, { member: id, generation, synced: false });
      }
      bench.machine(bench.holderOf(url)).powerFailure();
      return (await Promise.all(bench.peers.map((other) => other.status([url])))).flat();
    });
    for (const answer of answers) expect(answer).not.toHaveProperty("replica");
  });

  it("says that it cannot tell, when nobody who knows is there", async () => {
    const bench = new SwarmBench(3, smallWeb);
    const statuses = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      for (const machine of bench.world.machines.slice(1)) machine.powerFailure();
      return bench.peer(0).status(bench.urls);
    });
    const held = statuses.filter(({ replica, reason }) => !replica && !reason);
    const lost = statuses.filter(({ reason }) => reason === "owner-unreachable");
    expect(held.length).toBeGreaterThan(0);
    expect(held.every(({ owner }) => owner === "peer-0")).toBe(true);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every(({ state, detail }) => state === "unknown" && detail)).toBe(true);
  });

  it.each([1, 2, 3, 4])("never goes back through kills and returns (seed %i)", async (seed) => {
    const bench = new SwarmBench(4, { ...halfWeb, seed, network: { lossRate: 0.01 } });
    const { faults, asked } = await bench.run(async () => {
      await bench.begin();
      const over = new AbortController();
      const watching = watchOrder(bench, over.signal);
      await bench.inject(0, { delayMs: 400 });
      for (const index of [1, 2]) {
        await bench.pass(2_500);
        bench.machine(index).kill();
        await bench.pass(9_000);
        await bench.machine(index).start();
        await bench.pass(6_000);
      }
      over.abort();
      return { faults: await watching, asked: bench.urls.length };
    });
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(75);
  });
});

describe("a swarm that is asked for an archived page", () => {
  it("hands it out at every peer, from the one that fetched it", async () => {
    const bench = new SwarmBench(3, smallWeb);
    const bodies = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const [url = ""] = bench.urls;
      const answers = await Promise.all(bench.peers.map((peer) => peer.content(url, job)));
      const statuses = await bench.peer(0).status([url]);
      expect(statuses[0]?.archive?.peer).toBe(`peer-${bench.holderOf(url)}`);
      return answers;
    });
    const [first] = bodies;
    expect(first?.status).toBe(200);
    expect(first?.body.length).toBeGreaterThan(0);
    for (const other of bodies) expect(other).toEqual(first);
  });

  it("finds it at the peer that fetched it after the site has passed to another", async () => {
    const bench = new SwarmBench(2, smallWeb);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const before = new Map(bench.urls.map((url) => [url, bench.holderOf(url)]));
      await bench.world.addMachine().start();
      await bench.settled();
      await bench.pass(2_000);
      await bench.settled();
      const moved = bench.urls.filter((url) => bench.holderOf(url) === 2);
      expect(moved.length).toBeGreaterThan(0);
      for (const url of moved.slice(0, 5)) {
        const [status] = await bench.peer(2).status([url]);
        expect(status?.owner).toBe("peer-2");
        expect(status?.archive?.peer).toBe(`peer-${before.get(url)}`);
        expect((await bench.peer(2).content(url)).url).toBe(url);
      }
    });
  });

  it("says which peer has it when that one is gone, and that there is nothing where there is not", async () => {
    const bench = new SwarmBench(3, smallWeb);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const url = bench.urls.find((one) => bench.holderOf(one) === 1) ?? "";
      bench.machine(1).kill();
      await expect(bench.peer(0).content(url)).rejects.toMatchObject({
        code: "MEMBER_UNREACHABLE",
        details: { member: "peer-1" },
      });
      const nowhere = bench.peer(0).content("http://never-heard-of.example/");
      await expect(nowhere).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      const unknown = bench.peer(0).content(url, "no-such-job" as JobId);
      await expect(unknown).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
    });
  });
});

describe("a swarm that is asked for a host", () => {
  it("lets every peer tell what its holder knows", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 5_000 });
      await bench.pass(12_000);
      const url = bench.urls[0] ?? "";
      const name = new URL(url).hostname;
      const answers = await Promise.all(bench.peers.map((peer) => peer.host(name.toUpperCase())));
      const [first] = answers;
      expect(first).toMatchObject({
        host: name,
        known: true,
        owner: `peer-${bench.holderOf(url)}`,
        hold: "politeness",
        failuresInRow: 0,
      });
      expect(first?.queued).toEqual([{ job, urls: expect.any(Number) as number, orMore: false }]);
      expect(first?.nextFetchAt).toMatch(/^\d{4}-/);
      expect(first?.robots.map(({ origin }) => origin)).toEqual([new URL(url).origin]);
      for (const other of answers) expect(other).toEqual(first);
      await bench.peer(1).changeJob(job, "pause");
      await bench.pass(11_000);
      expect(await bench.peer(2).host(name)).toMatchObject({ hold: "job-paused" });
      const strange = await bench.peer(0).host("never-heard-of.example");
      expect(strange).toMatchObject({ known: false, queued: [], robots: [] });
      for (const address of ["2001:DB8::1", "2001:db8:0::1", "[2001:db8::1]"]) {
        expect(await bench.peer(0).host(address)).toMatchObject({ host: "[2001:db8::1]" });
      }
      for (const wrong of ["2001:db8::1::2", "www.example.com:80:90", "2001:db8::1]"]) {
        await expect(bench.peer(0).host(wrong)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
      }
      await expect(bench.peer(0).host("")).rejects.toThrow(
        '"" is not the name or address of a host',
      );
      await expect(bench.peer(0).host("no host/at all")).rejects.toMatchObject({
        code: "CONFIG_INVALID",
      });
    });
  });
});
