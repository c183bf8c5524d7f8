import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, JobId, SiteName } from "../../../src/core/units.ts";
import { HeadShares } from "../../../src/peer/frontier/head-shares.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { queued } from "../../core/frontier/queue-model.ts";

const options = { activeHostsMax: 10_000, headUrlsMax: 1_000 };
const job = "j" as JobId;

class Bench {
  readonly hosts = new Map<HostName, Host>();
  readonly shares = new HeadShares(options, this.hosts);

  /** A host with more entries than any head holds. */
  activate(number: number): void {
    const host = `h${number}.example` as HostName;
    const queue = new HostQueue(this.shares.size);
    const gate = new HostGate(defaultPolitenessOptions, undefined);
    const site = host as string as SiteName;
    const parts = { host, site, gate, queue, connectionsMax: 1, delayMs: 0 };
    this.hosts.set(host, new Host(new HostVisit(parts), undefined));
    this.shares.hostsChanged();
    for (let at = 0; at < 1_100; at += 1) queue.add(queued(job, 0, at));
  }

  get held(): number {
    let sum = 0;
    for (const { visit } of this.hosts.values()) sum += visit.queue.heldCount;
    return sum;
  }
}

describe("HeadShares", () => {
  it("gives a host that is alone as much as a head may hold", () => {
    const bench = new Bench();
    bench.activate(0);
    expect(bench.held).toBe(1_000);
  });

  it("takes from the first hosts what is meant for all", () => {
    const bench = new Bench();
    for (let number = 0; number < 100; number += 1) bench.activate(number);
    expect(bench.held).toBeLessThanOrEqual(2 * options.headUrlsMax);
    expect(bench.held).toBeGreaterThanOrEqual(options.headUrlsMax / 2);
  });

  it("gives those that are left more again", () => {
    const bench = new Bench();
    for (let number = 0; number < 100; number += 1) bench.activate(number);
    for (const name of [...bench.hosts.keys()].slice(1)) {
      bench.hosts.delete(name);
      bench.shares.hostsChanged();
    }
    expect(bench.shares.size).toBeGreaterThan(250);
  });
});
