import { jobSpace } from "../../src/core/record/url-keys.ts";
import { UrlRecord } from "../../src/core/record/record.pb.ts";
import { urlState } from "../../src/core/record/url-state.ts";
import { positionOf } from "../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, JobId, Millis } from "../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../src/core/url/site-of.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { TrueGraph } from "../sample-web/true-graph.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Checker, RunEnd, RunView } from "./checker.ts";
import { urlRowKey } from "./url-row-key.ts";

/** Missing pages of which it is told what each disk says. */
const examinedMax = 20;
/** How long the word that a seed is durable may be on its way to whoever gave it. */
const wordMs: Millis = 10_000;

/**
 * Reads the disks when all is over: each page that had to be fetched has a final record at the member that holds its
 * site, and each acknowledged seed has one; and was durable at all that are to have copies when it was acknowledged.
 */
export class Coverage implements Checker {
  readonly #view: RunView;
  readonly #space: number;
  /** Member that holds each site, by the sites' numbers. */
  readonly #holders = new Map<number, VirtualMachine<Peer> | undefined>();
  /** Pages that had to be fetched, and those of them that have a final record. */
  readonly counts = { must: 0, done: 0 };

  constructor(view: RunView, job: JobId) {
    this.#view = view;
    this.#space = jobSpace(job);
  }

  readonly finish = ({ graph, acknowledged, isFinished }: RunEnd): void => {
    // A job that has not ended is told of once, not once for each page.
    if (!isFinished) return;
    for (const id of graph.ids("must")) {
      this.counts.must += 1;
      const url = this.#view.world.sampleWeb.urlOf(id) as CanonicalUrl;
      const { site } = this.#view.world.sampleWeb.layout.placeOf(id);
      const holder = this.#holderOf(site, url);
      const key = this.#rowKey(url);
      if (holder !== undefined && this.#stateAt(holder, key) === "done") this.counts.done += 1;
      else this.#tellLost(id, url, holder, key, acknowledged.get(id));
    }
  };

  /**
   * Looks at the disks at the moment at which seeds are acknowledged: each seed is durable at as many members as there are to
   * be copies. Not so where one was lost, or seemed so, while the word was on its way, or in times in which there are fewer.
   */
  acknowledged(pages: readonly number[]): void {
    const { chronicle, findings, plan, world } = this.#view;
    if (chronicle.isExcusedNow) return;
    if (chronicle.hasLost(chronicle.nowMs - wordMs)) return;
    const members = world.running.map(({ peer }) => peer.swarm?.view.ring.members.length ?? 0);
    const copiesMin = Math.min(plan.settings.replicas, ...members);
    for (const page of pages) {
      const url = world.sampleWeb.urlOf(page) as CanonicalUrl;
      const key = this.#rowKey(url);
      const copies = world.machines.filter(({ disk }) => disk.isDurable(key)).length;
      if (copies >= copiesMin) continue;
      const text = `the seed ${url} was acknowledged and is durable at ${copies} of ${copiesMin} members`;
      findings.add("injections", chronicle.nowMs, text);
    }
  }

  /** Some pages without a final record, and who should have it. */
  undone(
    graph: TrueGraph,
    countMax: number,
  ): { readonly url: string; readonly holder: VirtualMachine<Peer> | undefined }[] {
    const { sampleWeb } = this.#view.world;
    const found = [];
    for (const id of graph.ids("must")) {
      const url = sampleWeb.urlOf(id) as CanonicalUrl;
      const holder = this.#holderOf(sampleWeb.layout.placeOf(id).site, url);
      if (holder !== undefined && this.#stateAt(holder, this.#rowKey(url)) === "done") continue;
      found.push({ url, holder });
      if (found.length >= countMax) break;
    }
    return found;
  }

  #tellLost(
    id: number,
    url: string,
    holder: VirtualMachine<Peer> | undefined,
    key: Uint8Array,
    acknowledgedAtMs: Millis | undefined,
  ): void {
    const { chronicle, findings, pages, world } = this.#view;
    const isSeed = acknowledgedAtMs !== undefined;
    const isExamined = findings.total < examinedMax;
    const requests = pages.of(id);
    findings.add(
      isSeed ? "injections" : "coverage",
      chronicle.nowMs,
      isSeed
        ? `the seed ${url} was acknowledged and has no final record at its holder`
        : `${url} has no final record at its holder`,
      {
        holder: holder?.id ?? "nobody",
        requests: requests?.count ?? 0,
        ...(requests && { lastAtMs: requests.last.atMs, lastStatus: requests.last.status }),
        ...(isSeed && { acknowledgedAtMs }),
        kind: world.sampleWeb.kindOf(id),
        ...(isExamined && {
          disks: world.machines.map((one) => this.#stateAt(one, key)).join(" "),
        }),
      },
    );
  }

  #holderOf(site: number, url: CanonicalUrl): VirtualMachine<Peer> | undefined {
    if (this.#holders.has(site)) return this.#holders.get(site);
    const position = positionOf(siteOfHost(hostOf(url)));
    const holder = this.#view.world.running.find(({ peer }) =>
      peer.swarm?.territory.holds(position),
    );
    this.#holders.set(site, holder);
    return holder;
  }

  #rowKey(url: CanonicalUrl): Uint8Array<ArrayBuffer> {
    return urlRowKey("url", url, this.#space);
  }

  #stateAt(machine: VirtualMachine<Peer>, key: Uint8Array): "unknown" | "queued" | "done" {
    const value = machine.disk.get(key);
    if (value === undefined) return "unknown";
    return UrlRecord.decode(value).state === urlState.done ? "done" : "queued";
  }
}
