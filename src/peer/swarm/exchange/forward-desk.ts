import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { JobId, MemberId, Millis } from "../../../core/units.ts";
import type { Admission } from "../../admission/admission.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import { HostPlaces } from "../../host-places.ts";
import type { ForwardedUrl, ForwardResult } from "../../../core/messages/forward.ts";
import { broughtUrl, canonicalOf, intakesOf } from "./intake.ts";
import type { BroughtUrl, Intake } from "./intake.ts";
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
  readonly replicator: Pick<Replicator, "full" | "replicatedOf">;
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
  readonly #places = new HostPlaces();
  readonly #untold: UntoldNews;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#untold = new UntoldNews(parts.jobs);
  }

  async receive(from: MemberId, urls: readonly ForwardedUrl[]): Promise<Delivery> {
    const { journal, replicator, territory } = this.#parts;
    if (journal.full || replicator.full) return { kind: "later", afterMs: busyMs };
    const { jobs, onUnknownJob } = this.#parts;
    const entries = urls.filter((url) => url !== "rejected");
    if (entries.some(({ job }) => !jobs.find(job as JobId))) onUnknownJob(from);
    const positions = new Set<RingPosition>();
    const brought: BroughtUrl[] = [];
    const results = urls.map((url, place) => {
      const judged = this.#judge(url, place, positions);
      if (!("place" in judged)) return judged.result;
      brought.push(judged);
      return "known";
    });
    await Promise.all(intakesOf(brought).map((intake) => this.#takeIn(intake, results)));
    await journal.flushed();
    // A peer that stops gives up what it holds while URLs are being admitted.
    const isHeld = [...positions].every((position) => territory.holds(position));
    const none: ReadonlySet<RingPosition> = new Set();
    const replicated = isHeld ? await replicator.replicatedOf(positions, replicatedWithinMs) : none;
    if (replicated.size === positions.size) {
      return { kind: "received", results: this.#untold.tell(urls, results) };
    }
    if (replicated.size === 0) {
      this.#untold.keep(urls, results);
      return { kind: "later", afterMs: busyMs };
    }
    const isLate = ({ url }: BroughtUrl): boolean => !replicated.has(this.#places.of(url).position);
    const late = new Set(brought.filter(isLate).map(({ place }) => place));
    return { kind: "received", results: this.#tellSome(urls, results, late) };
  }

  /**
   * The results as the bringer is to be told them where a replica takes nothing: the URLs at these places come again, behind
   * those of other sites, which would never have a turn otherwise.
   */
  #tellSome(
    urls: readonly ForwardedUrl[],
    results: readonly ForwardResult[],
    late: ReadonlySet<number>,
  ): readonly ForwardResult[] {
    const kept = results.map((result, at) => (late.has(at) ? result : "known"));
    this.#untold.keep(urls, kept);
    const told = results.map((result, at) => (late.has(at) ? { holder: undefined } : result));
    return this.#untold.tell(urls, told);
  }

  /** What becomes of a URL, as far as that can be said before it is taken in. */
  #judge(
    entry: ForwardedUrl,
    place: number,
    positions: Set<RingPosition>,
  ): BroughtUrl | { readonly result: ForwardResult } {
    if (entry === "rejected") return { result: entry };
    const url = canonicalOf(entry);
    if (url === undefined) return { result: "rejected" };
    const position = this.#places.of(url).position;
    if (!this.#parts.territory.admits(position)) return { result: this.#elsewhere(position) };
    const job = this.#parts.jobs.find(entry.job as JobId);
    if (!job) return { result: { holder: undefined } };
    const brought = broughtUrl(place, url, entry, job);
    if (!brought) return { result: "rejected" };
    positions.add(position);
    return brought;
  }

  async #takeIn({ request, places }: Intake, results: ForwardResult[]): Promise<void> {
    const { added } = await this.#parts.admission.admit(request);
    for (const index of added) results[places[index] ?? 0] = "new";
  }

  #elsewhere(position: RingPosition): ForwardResult {
    const { territory, view } = this.#parts;
    const holder = territory.runningHolderAt(position, view);
    if (!holder) return { holder: undefined };
    const { member, generation } = holder;
    return { holder: { member, generation } };
  }
}
