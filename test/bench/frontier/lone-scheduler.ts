import { packKeyedLinks } from "../../../src/core/page/packed-links.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { hostOf } from "../../../src/core/url/site-of.ts";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import { defaultDispatcherOptions, Dispatcher } from "../../../src/peer/fetching/dispatcher.ts";
import { defaultFrontierOptions } from "../../../src/peer/frontier/frontier-options.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { Visitor } from "../../../src/peer/fetching/visitor.ts";
import type { Fetcher, FetchResponse } from "../../../src/ports/fetcher.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { LoneFrontier } from "./lone-frontier.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { noPrior } from "../../support/no-prior.ts";

const noBytes = new Uint8Array(0);

/** Hosts admitted in one go. */
const hostsPerRequest = 1_000;

/** As the pool has with four threads. */
const parserPlaces = 16;

export interface LoneSchedulerOptions {
  readonly directory: string;
  readonly hosts: number;
  readonly delayMs: number;
  /** Mean time to an answer; each takes between none and twice of it. */
  readonly answerMs: number;
  readonly openRequestsMax: number;
  /** Told of each request how much later it is than its host's gate let it. */
  readonly onRequest: (latenessMs: number) => void;
}

/** Dispatcher, Visitor and Frontier of a peer before a fetcher without a network, with one URL for each host. */
export class LoneScheduler {
  readonly #lone: LoneFrontier;
  readonly #options: LoneSchedulerOptions;
  readonly #dispatcher: Dispatcher;
  readonly #abort = new AbortController();
  readonly #dice = new Dice(1);

  private constructor(
    lone: LoneFrontier,
    options: LoneSchedulerOptions,
    rouse: { onDue: () => void },
  ) {
    this.#lone = lone;
    this.#options = options;
    const { clock, frontier, journal, metrics } = lone;
    const onFailure = (error: unknown): void => {
      throw error;
    };
    const putBack = (lease: Lease): Promise<void> => {
      frontier.putBack(lease);
      return Promise.resolve();
    };
    const visitor = new Visitor(
      {
        clock,
        entropy: { random: () => 0 },
        fetcher: this.#fetcher(),
        logger: silentLogger,
        metrics,
      },
      {
        budget: new BodyBudget(
          defaultPeerOptions.bodies,
          defaultPeerOptions.limits.bodyBytesMax,
          () => undefined,
        ),
        frontier,
        robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
        leases: { add: () => 0, noted: () => Promise.resolve(), remove: () => undefined },
        finisher: {
          finish: putBack,
          finishResponse: putBack,
        },
        outages: { hear: () => Promise.resolve(false) },
        prior: noPrior,
        swarm: undefined,
      },
      defaultPeerOptions,
      this.#abort.signal,
    );
    this.#dispatcher = new Dispatcher(
      clock,
      {
        frontier,
        journal,
        visit: (lease) => visitor.visit(lease),
        isHeldBack: () => false,
        onRest: () => undefined,
        parserPlaces,
      },
      { ...defaultDispatcherOptions, openRequestsMax: options.openRequestsMax },
      onFailure,
    );
    rouse.onDue = () => this.#dispatcher.wake();
  }

  /** Fills the frontier, and spreads the moments at which its hosts may first be asked. */
  static async start(options: LoneSchedulerOptions): Promise<LoneScheduler> {
    const { directory, hosts, delayMs } = options;
    const rouse = { onDue: (): void => undefined };
    const lone = await LoneFrontier.open({
      directory,
      counts: true,
      job: { scope: "any", delayMs },
      frontier: { ...defaultFrontierOptions, activeHostsMax: hosts },
      onDue: () => rouse.onDue(),
    });
    const scheduler = new LoneScheduler(lone, options, rouse);
    await scheduler.#fill();
    const { clock, frontier } = lone;
    const nowMs = clock.nowMs();
    for (let number = 0; number < hosts; number += 1) {
      const host = frontier.hostNamed(hostOf(urlOf(number)));
      if (!host) throw new Error(`${urlOf(number)} has no place in memory`);
      host.visit.gate.opened(nowMs, delayMs * (1 + number / hosts));
    }
    scheduler.#dispatcher.start();
    return scheduler;
  }

  async stop(): Promise<void> {
    this.#dispatcher.stop();
    await this.#dispatcher.drained();
    this.#abort.abort();
    await this.#lone.close();
  }

  async #fill(): Promise<void> {
    const { admission, job, journal } = this.#lone;
    const { hosts } = this.#options;
    let added = 0;
    for (let first = 0; first < hosts; first += hostsPerRequest) {
      const size = Math.min(hostsPerRequest, hosts - first);
      const urls = Array.from({ length: size }, (_, at) => urlOf(first + at));
      const links = packKeyedLinks(urls.map((url) => ({ url, key: url })));
      const request = { job, links, excluded: [], depth: 0, redirectChain: [] };
      added += (await admission.admit(request)).added.length;
    }
    if (added !== hosts) throw new Error(`${added} of ${hosts} URLs were admitted`);
    await journal.flushed();
    // The last addresses are answered in turns of the loop that follow the last write.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #fetcher(): Fetcher {
    const { clock, frontier } = this.#lone;
    const { answerMs, onRequest } = this.#options;
    return {
      fetch: ({ url }) => {
        const startedAtMs = clock.nowMs();
        const gate = frontier.hostNamed(hostOf(url))?.visit.gate;
        onRequest(startedAtMs - (gate?.nextFetchAtMs ?? NaN));
        return new Promise((resolve) => {
          const answer = (): void => resolve(answerAt(startedAtMs, clock.nowMs()));
          if (answerMs === 0) setImmediate(answer);
          else setTimeout(answer, 2 * answerMs * this.#dice.next());
        });
      },
      stop: () => Promise.resolve(),
    };
  }
}

function urlOf(host: number): CanonicalUrl {
  return `https://www.site-${String(host).padStart(7, "0")}.example/` as CanonicalUrl;
}

function answerAt(startedAtMs: number, finishedAtMs: number): FetchResponse {
  return {
    kind: "response",
    status: 200,
    httpVersion: "1.1",
    statusText: "OK",
    headers: [],
    requestHeaders: [],
    encodedBody: noBytes,
    body: noBytes,
    bodyRead: true,
    startedAtMs,
    headAtMs: finishedAtMs,
    finishedAtMs,
  };
}
