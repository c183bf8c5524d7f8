import type { ExclusionReason } from "../../../core/jobs/exclusion.ts";
import { packLinks } from "../../../core/page/packed-links.ts";
import { noLinks } from "../../../core/page/parsed-page.ts";
import type { OutboxEntry } from "../../../core/record/record.pb.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { CanonicalUrl, JobId, MemberId, Millis } from "../../../core/units.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import type { Admission, AdmissionRequest } from "../../admission/admission.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import { SitePositions } from "../../site-positions.ts";
import type { ForwardedUrl, ForwardResult } from "../../../core/messages/forward.ts";
import type { Delivery } from "./parcel.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";
import { UntoldNews } from "./untold-news.ts";

/** A sender is asked to come again after so long when there is no room. */
const busyMs = 200;

/** How long an acknowledgement waits for the replicas before the sender is asked to come again. */
const replicatedWithinMs: Millis = 2_000;

interface DeskParts {
  readonly admission: Pick<Admission, "admit">;
  readonly jobs: JobRegistry;
  readonly journal: Pick<Journal, "flushed" | "full">;
  readonly replicator: Pick<Replicator, "full" | "replicated">;
  readonly territory: Territory;
  readonly view: Pick<SwarmView, "isRunning">;
  /** Called when a member sends URLs of a job that is unknown here. */
  readonly onUnknownJob: (from: MemberId) => void;
}

/**
 * Receives discovered URLs of sites that this peer holds, from other members and from its own pages.
 *
 * Invariant: what it calls new or known is durable here and at every member that must have a copy. To receive a URL twice
 * changes nothing, and it is called new until its bringer has been told so.
 */
export class ForwardDesk {
  readonly #parts: DeskParts;
  readonly #positions = new SitePositions();
  readonly #untold: UntoldNews;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#untold = new UntoldNews(parts.jobs);
  }

  async receive(from: MemberId, urls: readonly ForwardedUrl[]): Promise<Delivery> {
    const { journal, replicator, territory } = this.#parts;
    if (journal.full || replicator.full) return { kind: "later", afterMs: busyMs };
    const positions = new Set<RingPosition>();
    const { jobs, onUnknownJob } = this.#parts;
    const entries = urls.filter((url) => url !== "rejected");
    if (entries.some(({ job }) => !jobs.find(job as JobId))) onUnknownJob(from);
    const results = await Promise.all(urls.map((url) => this.#admit(url, positions)));
    await journal.flushed();
    // A peer that stops gives up what it holds while URLs are being admitted.
    const isHeld = [...positions].every((position) => territory.holds(position));
    if (isHeld && (await replicator.replicated([...positions], replicatedWithinMs))) {
      return { kind: "received", results: this.#untold.tell(urls, results) };
    }
    this.#untold.keep(urls, results);
    return { kind: "later", afterMs: busyMs };
  }

  async #admit(entry: ForwardedUrl, positions: Set<RingPosition>): Promise<ForwardResult> {
    if (entry === "rejected") return entry;
    const { admission, territory } = this.#parts;
    const url = canonicalizeUrl(entry.url);
    // What this peer would not have found itself, it does not take from others.
    if (url === undefined || url !== entry.url) return "rejected";
    const position = this.#positions.of(url);
    if (!territory.admits(position)) return this.#elsewhere(position);
    const job = this.#parts.jobs.find(entry.job as JobId);
    if (!job) return { holder: undefined };
    positions.add(position);
    const { added } = await admission.admit(requestOf(entry, url, job));
    return added > 0 ? "new" : "known";
  }

  #elsewhere(position: RingPosition): ForwardResult {
    const { territory, view } = this.#parts;
    const holder = territory.holderAt(position);
    if (!holder || !view.isRunning(holder.member, holder.generation)) return { holder: undefined };
    const { member, generation } = holder;
    return { holder: { member, generation } };
  }
}

function requestOf(entry: OutboxEntry, url: CanonicalUrl, job: Job): AdmissionRequest {
  const links = packLinks([url], job.definition.options.normalizeQuery);
  const reason = (entry.excluded as ExclusionReason | undefined) ?? job.rules.judgeSeed(url);
  return {
    job,
    links: reason === undefined ? links : noLinks,
    excluded: reason === undefined ? [] : [{ reason, links }],
    depth: entry.depth,
    ...(entry.via === undefined ? {} : { via: entry.via }),
    redirectChain: entry.redirectChain,
  };
}
