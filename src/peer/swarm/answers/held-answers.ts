import type { InTurn } from "../../../core/fair-slots.ts";
import type { ListQuestion, ListReply } from "../../../core/messages/list-message.ts";
import type { HostQuestion, KnownHost } from "../../../core/messages/host-message.ts";
import type {
  KnownStatus,
  Refusal,
  StatusQuestion,
  StatusReply,
} from "../../../core/messages/status-message.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import { positionOf } from "../../../core/ring/ring-position.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { CanonicalUrl, MemberId, Millis } from "../../../core/units.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import { siteOfHost } from "../../../core/url/site-of.ts";
import type { HostDesk } from "../../answers/host-desk.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import { HostPlaces } from "../../host-places.ts";
import { unknownStatus } from "../../answers/status-desk.ts";
import type { StatusDesk } from "../../answers/status-desk.ts";
import type { UrlScan } from "../../answers/url-scan.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Holder, Territory } from "../ownership/territory.ts";

/** How long an answer waits until the members that keep copies can give it too. */
const confirmedWithinMs: Millis = 1_000;

/** In which capacity this peer can speak of a site, when it is asked. */
type Standing =
  | { readonly kind: "holder" }
  | { readonly kind: "copy"; readonly owner: MemberId }
  | { readonly kind: "neither" };

/** One URL of a question. */
interface Asked {
  readonly position: RingPosition;
  readonly standing: Standing;
}

const neither: Standing = { kind: "neither" };

interface HeldParts {
  readonly jobs: JobRegistry;
  readonly urls: StatusDesk;
  readonly scan: UrlScan;
  readonly hosts: HostDesk;
  readonly replicator: Replicator;
  readonly territory: Territory;
  readonly view: SwarmView;
  /** Whether this process has stood still, and others may hold what it held and know more. */
  readonly isDazed: () => boolean;
}

/**
 * What this peer can say of sites: as the one that holds them, or from a complete copy where that will do.
 *
 * Invariant: what it says as the holder, without calling it unconfirmed, is durable at every member that must have a copy;
 * so whoever answers for the holder later is not behind it.
 */
export class HeldAnswers {
  readonly #parts: HeldParts;
  readonly #replicas: number;
  readonly #places = new HostPlaces();

  constructor(parts: HeldParts, replicas: number) {
    this.#parts = parts;
    this.#replicas = replicas;
  }

  /** @param inTurn reads the database: to wait until what it says is durable elsewhere takes no processor, and no memory */
  async status(
    { urls, job, fromCopy }: StatusQuestion,
    inTurn: InTurn = (work) => work(),
  ): Promise<StatusReply> {
    const jobs = this.#jobsNamed(job);
    if (job !== undefined && jobs.length === 0) return { jobs: 0, answers: urls.map(() => ({})) };
    const asked = urls.map((url) => this.#asked(url, fromCopy));
    const told = urls.filter((_, at) => asked[at]?.standing.kind !== "neither");
    const known = await inTurn(() => this.#parts.urls.known(told, jobs));
    const confirmed = await this.#confirmed(asked);
    let next = 0;
    const answers = asked.map(({ position, standing }): KnownStatus | Refusal => {
      if (standing.kind === "neither") return this.#refusal(position);
      const status = known[next++] ?? unknownStatus(this.#parts.view.self);
      return standing.kind === "copy"
        ? { ...status, owner: standing.owner, replica: true }
        : withDoubt(status, confirmed.has(position));
    });
    return { jobs: jobs.length, answers };
  }

  async host({ host, fromCopy, change, restMs }: HostQuestion): Promise<KnownHost | Refusal> {
    const position = positionOf(siteOfHost(host));
    const standing = this.#standing(position, fromCopy);
    if (standing.kind === "neither") return this.#refusal(position);
    const { hosts, jobs } = this.#parts;
    if (change === "release" && standing.kind === "holder") await hosts.release(host);
    if (restMs !== undefined && standing.kind === "holder") await hosts.rests(host, restMs);
    const known = await hosts.known(host, jobs.all());
    return standing.kind === "copy" ? { ...known, owner: standing.owner, replica: true } : known;
  }

  /** URLs at the sites that this peer holds. */
  async list(question: ListQuestion): Promise<ListReply> {
    const before = this.#spokenFor;
    const stretch = await this.#parts.scan.stretch(question, before);
    // The rows of what was handed over meanwhile may have gone before they were looked at.
    return { ...stretch, arcs: before.intersect(this.#spokenFor) };
  }

  /** Sites of which this peer can speak as the one that holds them. */
  get #spokenFor(): ArcSet {
    const { isDazed, territory } = this.#parts;
    return isDazed() ? ArcSet.empty : territory.held;
  }

  #jobsNamed(id: StatusQuestion["job"]): readonly Job[] {
    if (id === undefined) return this.#parts.jobs.all();
    const job = this.#parts.jobs.find(id);
    return job ? [job] : [];
  }

  #asked(url: CanonicalUrl, fromCopy: boolean): Asked {
    const position = this.#places.of(url).position;
    // It comes from another peer: what is not canonical has no row here.
    const isCanonical = canonicalizeUrl(url) === url;
    return { position, standing: isCanonical ? this.#standing(position, fromCopy) : neither };
  }

  #standing(position: RingPosition, fromCopy: boolean): Standing {
    const { isDazed, territory, view } = this.#parts;
    if (territory.holds(position)) return isDazed() ? neither : { kind: "holder" };
    const holder = territory.holderAt(position);
    if (!fromCopy || holder?.synced !== true) return neither;
    // The changes go to those members alone; a copy that was made for another ring may have missed some.
    const isKept = view.ring.preferenceOf(position, this.#replicas).includes(view.self);
    return isKept ? { kind: "copy", owner: this.#ownerOf(position, holder) } : neither;
  }

  /** Who holds what this peer has a copy of: notes may be older than the ring, or the ring already that of tomorrow. */
  #ownerOf(position: RingPosition, { member, generation }: Holder): MemberId {
    const { view } = this.#parts;
    const owner = view.ring.ownerOf(position);
    const isNoted = owner === undefined || owner === view.self;
    return isNoted || !view.isRunning(member, generation) ? member : owner;
  }

  /** Positions of which everything that was written before this call is durable at every member that must have a copy. */
  #confirmed(asked: readonly Asked[]): Promise<ReadonlySet<RingPosition>> {
    const held = asked.filter(({ standing }) => standing.kind === "holder");
    const positions = new Set(held.map(({ position }) => position));
    return this.#parts.replicator.replicatedOf(positions, confirmedWithinMs);
  }

  #refusal(position: RingPosition): Refusal {
    const { territory, view } = this.#parts;
    const holder = territory.runningHolderAt(position, view);
    return holder ? { holder: holder.member } : {};
  }
}

/** Nothing can be behind a URL of which nothing is known. */
function withDoubt(status: KnownStatus, isConfirmed: boolean): KnownStatus {
  return isConfirmed || status.state === "unknown" ? status : { ...status, unconfirmed: true };
}
