import type { HostChange, HostStatus } from "../../../core/answers/host-status.ts";
import type { UrlFilter, UrlList } from "../../../core/answers/url-list.ts";
import type { UrlStatus } from "../../../core/answers/url-status.ts";
import { hostStatusOf, isKnownHost } from "../../../core/messages/host-message.ts";
import type { KnownHost } from "../../../core/messages/host-message.ts";
import {
  askedCharactersMax,
  askedUrlsMax,
  isRefusal,
  statusOf,
} from "../../../core/messages/status-message.ts";
import type { KnownStatus, StatusQuestion } from "../../../core/messages/status-message.ts";
import { positionOf } from "../../../core/ring/ring-position.ts";
import type { CanonicalUrl, JobId, MemberId } from "../../../core/units.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import { siteOfHost } from "../../../core/url/site-of.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ArchivedResponse } from "../../../ports/archive.ts";
import type { MemberReport, SwarmStats } from "../../../ports/peer-control.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { listsMax, listUrls } from "../../answers/list-urls.ts";
import { hostNamed, type QuestionDesk } from "../../answers/question-desk.ts";
import { HostPlaces } from "../../host-places.ts";
import { Slots } from "../../slots.ts";
import { unknownStatus } from "../../answers/status-desk.ts";
import type { ContentDesk } from "./content-desk.ts";
import type { HeldAnswers } from "./held-answers.ts";
import type { Attempt, Finding, HolderSearch } from "./holder-search.ts";
import type { JobSpread } from "../jobs/job-spread.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmLists } from "./swarm-lists.ts";
import type { SwarmFigures } from "./swarm-figures.ts";
import type { SwarmView } from "../members/swarm-view.ts";

/** A URL that is looked for, at its place in the answer. */
interface Wanted {
  readonly at: number;
  readonly url: CanonicalUrl;
}

interface SwarmDeskParts {
  readonly calls: PeerCalls;
  readonly clock: Clock;
  readonly contents: ContentDesk;
  readonly figures: SwarmFigures;
  readonly held: HeldAnswers;
  readonly jobs: JobRegistry;
  readonly lists: SwarmLists;
  readonly search: HolderSearch;
  readonly spread: JobSpread;
  readonly view: SwarmView;
}

/** Answers for the whole swarm: whoever is asked, the member that knows is found. */
export class SwarmDesk implements QuestionDesk {
  readonly #parts: SwarmDeskParts;
  readonly #places = new HostPlaces();
  readonly #lists = new Slots(listsMax);

  constructor(parts: SwarmDeskParts) {
    this.#parts = parts;
  }

  async status(inputs: readonly string[], job?: JobId): Promise<UrlStatus[]> {
    const { jobs, view } = this.#parts;
    const { self } = view;
    if (job !== undefined) jobs.get(job);
    const known = new Map<number, KnownStatus>();
    const wanted: Wanted[] = [];
    inputs.forEach((input, at) => {
      const url = canonicalizeUrl(input);
      if (url === undefined) known.set(at, unknownStatus(self, "invalid-url"));
      else wanted.push({ at, url });
    });
    const answers = await this.#find(wanted, job);
    wanted.forEach(({ at, url }, index) => {
      const owner = this.#parts.search.holderOf(this.#places.of(url).position) ?? self;
      known.set(at, answers[index] ?? unknownStatus(owner, "owner-unreachable"));
    });
    return inputs.map((input, at) => statusOf(input, known.get(at) ?? unknownStatus(self)));
  }

  async urls(job: JobId, filter: UrlFilter, from?: string, signal?: AbortSignal): Promise<UrlList> {
    const { clock, jobs, lists } = this.#parts;
    jobs.get(job);
    const ask = {
      scan: (key: Uint8Array) => lists.stretch(job, filter, key),
      status: (urls: readonly string[]) => this.status(urls, job),
    };
    return this.#lists.run(() => listUrls(clock, ask, filter, from), signal);
  }

  async content(input: string, job?: JobId, signal?: AbortSignal): Promise<ArchivedResponse> {
    const [status] = await this.status([input], job);
    return this.#parts.contents.fetch(input, status, signal);
  }

  async host(name: string, change?: HostChange): Promise<HostStatus> {
    const host = hostNamed(name);
    const { calls, held, search, view } = this.#parts;
    const position = positionOf(siteOfHost(host));
    const [known] = await search.run<KnownHost>([position], async ({ member, fromCopy }) => {
      const question = { host, fromCopy, ...(change && { change }) };
      const answer =
        member === view.self ? await held.host(question) : await calls.host(member, question);
      if (!answer) return [undefined];
      return isKnownHost(answer)
        ? [{ kind: "answer", answer: { ...answer, owner: ownerOf(answer, member) } }]
        : [{ kind: "elsewhere", holder: answer.holder }];
    });
    if (known) return hostStatusOf(host, known);
    const owner = search.holderOf(position) ?? view.self;
    const nothing = { queued: [], failuresInRow: 0, robots: [] };
    return { host, owner, known: false, unreachable: true, ...nothing };
  }

  members(): readonly MemberReport[] {
    return this.#parts.figures.members();
  }

  swarmStats(): Promise<SwarmStats> {
    return this.#parts.figures.stats();
  }

  handOver(): Promise<void> {
    return this.#parts.figures.handOver();
  }

  #find(wanted: readonly Wanted[], job: JobId | undefined): Promise<(KnownStatus | undefined)[]> {
    const positions = wanted.map(({ url }) => this.#places.of(url).position);
    /** Members that have been told of jobs that they did not know, once each. */
    const told = new Set<MemberId>();
    return this.#parts.search.run<KnownStatus>(positions, async (attempt, indices) => {
      const urls = indices.flatMap((index) => wanted[index]?.url ?? []);
      const findings = await Promise.all(
        batchesOf(urls).map((batch) => this.#ask(attempt, batch, job, told)),
      );
      return findings.flat();
    });
  }

  async #ask(
    { member, fromCopy }: Attempt,
    urls: readonly CanonicalUrl[],
    job: JobId | undefined,
    told: Set<MemberId>,
  ): Promise<Finding<KnownStatus>[]> {
    const { calls, held, jobs, view } = this.#parts;
    const question: StatusQuestion = { urls, fromCopy, ...(job !== undefined && { job }) };
    const reply =
      member === view.self ? await held.status(question) : await calls.status(member, question);
    if (!reply) return urls.map(() => undefined);
    const hasMissed = reply.jobs < (job === undefined ? jobs.size : 1);
    if (hasMissed && member !== view.self && (await this.#tell(member, told))) {
      return urls.map(() => ({ kind: "again" }));
    }
    return reply.answers.map((answer) =>
      isRefusal(answer)
        ? { kind: "elsewhere", holder: answer.holder }
        : { kind: "answer", answer: { ...answer, owner: ownerOf(answer, member) } },
    );
  }

  /** Tells a member of the jobs that it has not heard of; whether it is worth asking it again. */
  async #tell(member: MemberId, told: Set<MemberId>): Promise<boolean> {
    if (told.has(member)) return false;
    told.add(member);
    return this.#parts.spread.exchange(member);
  }
}

/** A member that answers for another may say who that is; one that holds the site is its owner. */
function ownerOf(
  { owner, replica }: { readonly owner: string; readonly replica?: true },
  member: MemberId,
): string {
  return replica ? owner : member;
}

function batchesOf(urls: readonly CanonicalUrl[]): CanonicalUrl[][] {
  const batches: CanonicalUrl[][] = [];
  let batch: CanonicalUrl[] = [];
  let characters = 0;
  for (const url of urls) {
    if (batch.length >= askedUrlsMax || characters + url.length > askedCharactersMax) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(url);
    characters += url.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
