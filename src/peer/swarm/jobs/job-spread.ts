import { CrawlError } from "../../../core/errors.ts";
import {
  jobsMax,
  patternCharacters,
  patternCharactersOfAllMax,
  type JobDefinition,
} from "../../../core/jobs/job-definition.ts";
import {
  addsToJobDefinition,
  mergeJobDefinitions,
} from "../../../core/jobs/merge-job-definition.ts";
import { writeJobDefinition } from "../../../core/jobs/read-job-definition.ts";
import type { JobId, MemberId, Millis } from "../../../core/units.ts";
import { encodeClaim } from "../../../core/messages/claim.ts";
import type { JobNews } from "../../../core/messages/jobs.ts";
import { noticeBytesMax } from "../../../core/messages/notice.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Entropy } from "../../../ports/entropy.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import { peerStopped } from "../../durability/journal.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { PageTally } from "./page-tally.ts";

/** How often the definitions are compared with those of another member. */
const compareIntervalMs: Millis = 5_000;

/** How often a peer that looks for its swarm looks whether it has found it. */
const lookMs: Millis = 50;

/** How long a question waits for that, and a change. */
const questionMsMax: Millis = 4_000;
const changeMsMax: Millis = 20_000;

/** What is queued is looked through for other members' jobs in a tenth of the time at most. */
const restsPerCount = 9;

/** Members that are asked at once. */
const askedMax = 5;

/** Characters of the definitions of one message: of three bytes each at most, they fit its 4 MiB. */
const messageCharactersMax = 1_300_000;

interface SpreadPorts {
  readonly calls: PeerCalls;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly overlay: Overlay;
}

interface SpreadEvents {
  /** Called when a definition has come in that changes something here. */
  readonly onMerged: () => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Makes every member know every job: a change is told to all, and what that did not reach is found by comparing with a
 * random member now and then. Definitions merge, so they may come in any order.
 *
 * With the definitions go the counts of pages, as far as they fit: who is given a part of a crawl hears how far a job with a limit
 * is before it makes a request of it.
 */
export class JobSpread {
  readonly #ports: SpreadPorts;
  readonly #view: SwarmView;
  readonly #jobs: JobRegistry;
  readonly #tally: Pick<PageTally, "counts" | "take" | "takePast">;
  readonly #count: (ids: readonly JobId[]) => Promise<void>;
  readonly #events: SpreadEvents;
  /** Jobs that are taken in when it has been counted what is queued of them. */
  readonly #uncounted = new Map<JobId, JobDefinition>();
  /** Of the patterns of those. */
  #uncountedCharacters = 0;
  readonly #onHeard = new Set<() => void>();
  #counting: Promise<void> | undefined;
  #countsAgainAtMs: Millis = -Infinity;
  #learning = false;
  /** The log is told once. */
  #toldOfLeftOut = false;

  constructor(
    ports: SpreadPorts,
    parts: {
      readonly view: SwarmView;
      readonly jobs: JobRegistry;
      readonly tally: Pick<PageTally, "counts" | "take" | "takePast">;
      /** Counts what is queued here of these jobs; see {@link JobRegistry.isUncounted}. */
      readonly count: (ids: readonly JobId[]) => Promise<void>;
    },
    events: SpreadEvents,
  ) {
    this.#ports = ports;
    this.#view = parts.view;
    this.#jobs = parts.jobs;
    this.#tally = parts.tally;
    this.#count = parts.count;
    this.#events = events;
  }

  /** Calls `listener` each time before a job becomes known that others have made. */
  onHeard(listener: () => void): void {
    this.#onHeard.add(listener);
  }

  /** Tells all members of a definition; of one that is too long for a claim a few, from whom it goes on. */
  tell(definition: JobDefinition): void {
    const claim = encodeClaim({ jobDefinition: definition });
    if (claim.length <= noticeBytesMax) this.#ports.overlay.publish(claim);
    else void this.inquire();
  }

  /** Asks others for a job of which this peer has not heard; one that looks for its swarm, once it has found somebody. */
  async hearOf(id: JobId): Promise<void> {
    if (this.#jobs.find(id) || !(await this.#isSwarmFound(questionMsMax))) return;
    await this.inquire();
    if (this.#uncounted.has(id)) await this.#countAndTake([id]);
  }

  /**
   * Asks others for the latest of a job that is to be made or changed here. Two definitions that were made without one another
   * count as changed as often, and whose options then hold is left to the order of their texts: what a peer made before it
   * had found its swarm could take the place of what the swarm crawls by.
   *
   * Errors: `SWARM_BUSY` where this peer has not found its swarm; `PEER_STOPPED` where it leaves or stops meanwhile.
   */
  async hearLatest(id: JobId): Promise<void> {
    if (!(await this.#isSwarmFound(changeMsMax))) {
      if (this.#view.role !== "joining") throw peerStopped();
      const problem = `this peer has not found its swarm yet, where others may know of the job "${id}"; ask again when it has joined (peer members tells)`;
      throw new CrawlError("SWARM_BUSY", problem, { job: id });
    }
    await this.inquire();
    if (this.#jobs.isUncounted({ id })) await this.#countAndTake([id]);
  }

  /** Exchanges definitions with a few members. */
  async inquire(): Promise<void> {
    await Promise.all(this.#someOthers().map((member) => this.exchange(member)));
    await this.#counting;
  }

  /** Takes in definitions of other members. */
  take(definitions: readonly JobDefinition[]): void {
    if (this.#merge(definitions)) this.#events.onMerged();
  }

  /** Answers a member that has sent definitions: what it does not have, or has in an older form. */
  answer(from: MemberId, news: JobNews): JobNews {
    this.#takeNews(from, news);
    const { digest } = this.#jobs;
    const definitions = news.digest === digest ? [] : this.#unknownBy(news.definitions);
    return { definitions, digest, ...this.#tally.counts() };
  }

  /**
   * Exchanges definitions with a member; false when it did not answer. There may be thousands, and mostly both know the
   * same: so digests come first, then what is there where they differ, and then what is not there.
   */
  async exchange(member: MemberId): Promise<boolean> {
    const { digest } = this.#jobs;
    const counts = this.#tally.counts();
    const answer = await this.#ask(member, { definitions: [], digest, ...counts });
    if (!answer) return false;
    if (answer.digest === digest) return true;
    const definitions = this.#unknownBy(answer.definitions);
    if (definitions.length === 0) return true;
    const news = { definitions, digest: this.#jobs.digest, ...counts };
    return (await this.#ask(member, news)) !== undefined;
  }

  /** Asks a member that knows of a job which is unknown here; once at a time. */
  async learn(member: MemberId): Promise<void> {
    if (this.#learning || member === this.#view.self) return;
    this.#learning = true;
    await this.exchange(member);
    this.#learning = false;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, entropy } = this.#ports;
    while (!signal.aborted) {
      await clock.sleep(compareIntervalMs * (0.5 + entropy.random()), signal);
      const { others } = this.#view;
      const member = others[Math.floor(entropy.random() * others.length)];
      if (member !== undefined) await this.exchange(member);
      this.#takeUncounted();
    }
  }

  async #ask(member: MemberId, news: JobNews): Promise<JobNews | undefined> {
    const answer = await this.#ports.calls.jobs(member, news);
    if (answer) this.#takeNews(member, answer);
    return answer;
  }

  /** Waits until this peer has somebody to ask, or is the swarm itself; false where it is not so in time, or it leaves. */
  async #isSwarmFound(withinMs: Millis): Promise<boolean> {
    const { clock } = this.#ports;
    const endMs = clock.nowMs() + withinMs;
    const isAlone = (): boolean => this.#view.others.length === 0;
    while (isAlone() && this.#view.role === "joining" && clock.nowMs() < endMs) {
      await clock.sleep(lookMs);
    }
    const { role } = this.#view;
    return role === "active" || (role !== "left" && !isAlone());
  }

  /**
   * In this order: counts of a job or a limit that was unknown until now are taken too, and nothing of it is sent out before.
   */
  #takeNews(from: MemberId, { definitions, pageCounts, pastPageCounts }: JobNews): void {
    const changed = this.#merge(definitions);
    this.#tally.take(from, pageCounts);
    this.#tally.takePast(from, pastPageCounts);
    if (changed) this.#events.onMerged();
  }

  /** Whether that changes anything here. */
  #merge(definitions: readonly JobDefinition[]): boolean {
    let changed = false;
    const isNew = definitions.some(({ id }) => !this.#jobs.find(id));
    if (isNew) for (const listener of this.#onHeard) listener();
    for (const definition of definitions) {
      if (this.#jobs.isUncounted(definition)) this.#takeCounted(definition);
      else changed = this.#jobs.merge(definition) || changed;
    }
    if (this.#jobs.hasLeftOut && !this.#toldOfLeftOut) {
      this.#toldOfLeftOut = true;
      this.#ports.logger.warn("jobs-not-taken", { known: this.#jobs.size });
    }
    return changed;
  }

  #takeCounted(definition: JobDefinition): void {
    const { id } = definition;
    const known = this.#uncounted.get(id);
    const latest = known ? mergeJobDefinitions(known, definition) : definition;
    const more = patternCharacters(latest.options) - patternCharacters(known?.options);
    if (this.#hasRoomFor(more, known)) {
      this.#uncounted.set(id, latest);
      this.#uncountedCharacters += more;
    }
    this.#takeUncounted();
  }

  /** No more wait than there may be jobs; what is left out is heard of again. */
  #hasRoomFor(characters: number, known: JobDefinition | undefined): boolean {
    if (!known && this.#uncounted.size >= jobsMax) return false;
    return characters <= 0 || this.#uncountedCharacters + characters <= patternCharactersOfAllMax;
  }

  /**
   * All at once that have come meanwhile, unless such a count has just been made: each looks through all queues, and there may be
   * no end of made-up jobs.
   */
  #takeUncounted(): void {
    const { clock } = this.#ports;
    const startMs = clock.nowMs();
    if (this.#counting || this.#uncounted.size === 0 || startMs < this.#countsAgainAtMs) return;
    const done = (): void => {
      this.#counting = undefined;
      this.#countsAgainAtMs = clock.nowMs() + restsPerCount * (clock.nowMs() - startMs);
    };
    const counted = this.#countAndTake([...this.#uncounted.keys()]);
    this.#counting = counted.catch(this.#events.onFailure).finally(done);
  }

  async #countAndTake(ids: readonly JobId[]): Promise<void> {
    const definitions = ids.flatMap((id) => this.#uncounted.get(id) ?? []);
    for (const id of ids) this.#uncounted.delete(id);
    for (const { options } of definitions) this.#uncountedCharacters -= patternCharacters(options);
    await this.#count(ids);
    this.take(definitions);
  }

  #someOthers(): readonly MemberId[] {
    const { others } = this.#view;
    const start = Math.floor(this.#ports.entropy.random() * others.length);
    return [...others.slice(start), ...others.slice(0, start)].slice(0, askedMax);
  }

  /**
   * What a member that has told of these does not have, or as much as fits a message, from a random one on: in a few exchanges
   * all comes through. What a message left out is taken for unknown there, and sent needlessly.
   */
  #unknownBy(told: readonly JobDefinition[]): JobDefinition[] {
    const known = new Map(told.map((definition) => [definition.id, definition]));
    const unknown = this.#jobs.all().flatMap(({ definition }) => {
      const there = known.get(definition.id);
      return !there || addsToJobDefinition(definition, there) ? [definition] : [];
    });
    const fitting = fittingOf(unknown);
    if (fitting.length === unknown.length) return fitting;
    const start = Math.floor(this.#ports.entropy.random() * unknown.length);
    return fittingOf([...unknown.slice(start), ...unknown.slice(0, start)]);
  }
}

/** As many as fit a message. There may be thousands, and no text is made of those behind them. */
function fittingOf(definitions: readonly JobDefinition[]): JobDefinition[] {
  const fitting: JobDefinition[] = [];
  let characters = 0;
  for (const definition of definitions) {
    characters += writeJobDefinition(definition).length;
    if (characters > messageCharactersMax) break;
    fitting.push(definition);
  }
  return fitting;
}
