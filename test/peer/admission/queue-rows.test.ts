import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { CanonicalUrl, HostName, SiteName } from "../../../src/core/units.ts";
import type { AdmissionRequest } from "../../../src/peer/admission/admission.ts";
import { candidateOf, urlRowKeyOf } from "../../../src/peer/admission/candidate.ts";
import { QueueRows } from "../../../src/peer/admission/queue-rows.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { HostPlaces } from "../../../src/peer/host-places.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { StoreOp } from "../../../src/ports/store.ts";

const places = new HostPlaces();

function newHost(): Host {
  const names = { host: "a.example" as HostName, site: "a.example" as SiteName };
  const gate = new HostGate(defaultPolitenessOptions);
  const parts = { gate, queue: new HostQueue(8), connectionsMax: 1, delayMs: 0 };
  return new Host(new HostVisit({ ...names, ...parts }), undefined);
}

/** Links of a page at that depth. */
function linksAt(depth: number, ...paths: string[]): AdmissionRequest {
  const urls = paths.map((path) => `http://a.example${path}` as CanonicalUrl);
  const via = `http://a.example/page-${depth}`;
  const job = new JobRegistry().define("test");
  return { job, links: packLinks(urls, false), excluded: [], depth, via, redirectChain: [] };
}

/** Writes rows of a host; what is found in them later, in the order of the queue. */
class Rows {
  readonly #ops: StoreOp[] = [];
  readonly #host = newHost();
  readonly #rows = new QueueRows(new Sequence(), 0, this.#ops);

  /** Of all that one batch brings. */
  write(...requests: AdmissionRequest[]): void {
    for (const request of requests) {
      const { links } = request;
      for (const index of links.ends.keys()) {
        const candidate = candidateOf({ request, links, index, reason: undefined }, places);
        this.#rows.add(this.#host, candidate, urlRowKeyOf(candidate));
      }
    }
    this.#rows.close();
  }

  /** Of a URL that was asked for so often. */
  writeAgain(path: string, attempts: number): void {
    const url = `http://a.example${path}` as CanonicalUrl;
    const job = new JobRegistry().define("test");
    const rest = { depth: 1, unseen: 0, redirectChain: [], discoveredAtMs: 0 };
    const entry = { url, attempts, ...rest };
    this.#rows.addAgain({ host: this.#host, job, rowKey: urlRow(url, job).key, entry });
  }

  get keys(): string[] {
    return this.#ops.map(({ key }) => idOf(key));
  }

  /** Rows of which the frontier is told. */
  get told(): number {
    return this.#rows.written.get(this.#host)?.length ?? 0;
  }

  read(): QueueBundle[] {
    return this.#ops
      .toSorted((one, other) => compareKeys(one.key, other.key))
      .flatMap((op) => (op.type === "put" ? QueueBundle.decode(op.value) : []));
  }
}

describe("rows of a host's queue", () => {
  it("have no URLs of two pages in one, which have depths and ways of their own", () => {
    const rows = new Rows();
    rows.write(linksAt(1, "/one", "/two"), linksAt(2, "/three"));
    expect(rows.read()).toMatchObject([
      { urls: ["http://a.example/one", "http://a.example/two"], depth: 1 },
      { urls: ["http://a.example/three"], depth: 2, via: "http://a.example/page-2" },
    ]);
  });

  it.each([
    ["URLs, as many as a row can tell of", 1, [32, 32, 1]],
    ["characters", 2_048, [...Array<number>(32).fill(2), 1]],
  ])("are full when they have so many %s", (_, characters, expected) => {
    const rows = new Rows();
    const start = "http://a.example/".length;
    const pathOf = (_: unknown, n: number): string =>
      `/${String(n).padStart(Math.max(2, characters - start), "0")}`;
    rows.write(linksAt(1, ...Array.from({ length: 65 }, pathOf)));
    expect(rows.read().map(({ urls }) => urls.length)).toEqual(expected);
    expect(rows.told).toBe(expected.length);
  });

  it("do not meet where two peers write them of one URL, of which one knows that it was tried", () => {
    const [anew, again] = [new Rows(), new Rows()];
    anew.write(linksAt(1, "/one"));
    again.writeAgain("/one", 2);
    expect(again.keys).not.toEqual(anew.keys);
    again.writeAgain("/one", 0);
    anew.write(linksAt(1, "/one"));
    expect(again.keys.at(-1)).toEqual(anew.keys.at(-1));
  });

  it("go before those that were written while their job's priority was lower", () => {
    const rows = new Rows();
    const jobs = new JobRegistry();
    rows.write({ ...linksAt(1, "/earlier"), job: jobs.define("test", { priority: 1 }) });
    rows.write({ ...linksAt(2, "/later"), job: jobs.define("test", { priority: 8 }) });
    expect(rows.read().map(({ depth }) => depth)).toEqual([2, 1]);
  });
});
