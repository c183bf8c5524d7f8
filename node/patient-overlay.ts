import { keptOutDetail } from "../src/adapters/libp2p/dialer.ts";
import { CrawlError } from "../src/core/errors.ts";
import type { MemberId, Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Logger } from "../src/ports/logger.ts";
import type { JoinOutcome, Overlay, OverlayOutcome, OverlayRequest } from "../src/ports/overlay.ts";
import { FoundAddresses } from "./found-addresses.ts";

/** Stands for whatever address answers on the local network. */
export const localNetwork = "the local network";

/** Rest before a second attempt at an address; doubled for each further one. */
const retryMs: Millis = 500;
/** Longest rest: a swarm that is started by and by finds together in this time. */
const retryMsMax: Millis = 15_000;

/** Attempts at each address before a peer that may begin a swarm gives up looking for one. */
const attemptsBeforeBeginning = 3;

/** Rounds of one attempt at whoever is found on the local network: as many as one member may have addresses there. */
const foundRoundsMax = 8;

/** An overlay that also tells of peers that it finds on the local network. */
export interface FindingOverlay extends Overlay {
  onFound(listener: (address: string) => void): void;
}

export interface PatientOverlayOptions {
  /** Addresses that the user named: what goes wrong with them is told. */
  readonly named: ReadonlySet<string>;
  /** An address as people write it. */
  readonly readable: (address: string) => string;
  /** Called once when none of the addresses has answered for a while. */
  readonly onNobody?: () => void;
}

/**
 * An overlay whose {@link join} does not give up: it tries an address again and again, ever more rarely, until a member
 * answers there or at one of the other addresses that are tried at the same time.
 *
 * It says once for each address what is wrong, or who has answered, and says it again only when that changes: a peer that
 * the swarm does not take in looks for it each second. That whoever was refused there is kept out from then on is no change.
 */
export class PatientOverlay implements Overlay {
  readonly #inner: FindingOverlay;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: PatientOverlayOptions;
  readonly #found = new FoundAddresses();
  /** What was told of each address last. */
  readonly #told = new Map<string, { readonly event: string; readonly reason: string }>();
  /** Addresses that have failed too often to be waited for. */
  readonly #hopeless = new Set<string>();
  #wakeFinder: () => void = () => undefined;
  #searching = 0;
  #search = new AbortController();
  #member: MemberId | undefined;
  #saidNobody = false;

  constructor(
    inner: FindingOverlay,
    ports: { readonly clock: Clock; readonly logger: Logger },
    options: PatientOverlayOptions,
  ) {
    this.#inner = inner;
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#options = options;
    inner.onFound((address) => {
      if (this.#found.add(address, this.#clock.nowMs())) this.#wakeFinder();
    });
  }

  get self(): MemberId {
    return this.#inner.self;
  }

  get addresses(): readonly string[] {
    return this.#inner.addresses;
  }

  start(): Promise<void> {
    return this.#inner.start().catch((error: unknown) => {
      throw withAdvice(error);
    });
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }

  /** Resolves when a member has answered, at this or another address, or `signal` aborts; told `once`, with one attempt. */
  async join(address: string, signal: AbortSignal, tries?: "once"): Promise<JoinOutcome> {
    if (tries === "once") return this.#inner.join(address, signal);
    if (this.#searching === 0) {
      this.#search = new AbortController();
      this.#member = undefined;
      this.#hopeless.clear();
    }
    this.#searching += 1;
    const over = AbortSignal.any([signal, this.#search.signal]);
    const isOver = (): boolean => over.aborted;
    try {
      for (let attempt = 1; !isOver(); attempt += 1) {
        const outcome = await this.#attempt(address, over);
        if (outcome.kind === "joined") this.#joined(address, outcome.member);
        else if (!isOver()) this.#failed(address, attempt, outcome);
        const restMs = Math.min(retryMs * 2 ** (attempt - 1), retryMsMax);
        if (!isOver()) await this.#rest(address, restMs, over);
      }
    } finally {
      this.#searching -= 1;
    }
    return this.#member === undefined
      ? { kind: "unreachable", detail: "this peer stops" }
      : { kind: "joined", member: this.#member };
  }

  learn(member: MemberId, addresses: readonly string[]): void {
    this.#inner.learn(member, addresses);
  }

  request(request: OverlayRequest, signal: AbortSignal): Promise<OverlayOutcome> {
    return this.#inner.request(request, signal);
  }

  serve(...given: Parameters<Overlay["serve"]>): void {
    this.#inner.serve(...given);
  }

  notify(to: MemberId, payload: Uint8Array): void {
    this.#inner.notify(to, payload);
  }

  onNotice(listener: Parameters<Overlay["onNotice"]>[0]): void {
    this.#inner.onNotice(listener);
  }

  publish(claim: Uint8Array): void {
    this.#inner.publish(claim);
  }

  onClaim(listener: Parameters<Overlay["onClaim"]>[0]): void {
    this.#inner.onClaim(listener);
  }

  onBroken(listener: (member: MemberId) => void): void {
    this.#inner.onBroken(listener);
  }

  async #attempt(address: string, over: AbortSignal): Promise<JoinOutcome> {
    return address === localNetwork ? this.#attemptFound(over) : this.#inner.join(address, over);
  }

  /**
   * Tries those that have been found, in rounds: one address of each member at once. One may swallow what it is sent, and
   * anybody can name such addresses; and attempts at one member at the same time would share the outcome of the first. While
   * a round waits for some, the others' next addresses are tried.
   */
  async #attemptFound(over: AbortSignal): Promise<JoinOutcome> {
    let joined: JoinOutcome | undefined;
    for (let round = 0; round < foundRoundsMax && this.#found.size > 0; round += 1) {
      joined = await this.#tryFound(over);
      if (joined || over.aborted) break;
    }
    return joined ?? { kind: "unreachable", detail: "nobody of this swarm answers there" };
  }

  async #tryFound(over: AbortSignal): Promise<JoinOutcome | undefined> {
    const met = new AbortController();
    const signal = AbortSignal.any([over, met.signal]);
    let joined: JoinOutcome | undefined;
    const attempt = async (found: string): Promise<void> => {
      const outcome = await this.#inner.join(found, signal);
      const hasJoined = outcome.kind === "joined";
      if (hasJoined || signal.aborted) this.#found.giveBack(found);
      else this.#found.failed(found, this.#clock.nowMs());
      if (!hasJoined) return;
      joined ??= outcome;
      met.abort();
    };
    const firsts = this.#found.take();
    let waitedFor = firsts.length;
    const attempts = firsts.map(async (first) => {
      await attempt(first);
      waitedFor -= 1;
      while (waitedFor > 0 && !signal.aborted) {
        const next = this.#found.takeNext(first);
        if (next === undefined) return;
        await attempt(next);
      }
    });
    await Promise.all(attempts);
    return joined;
  }

  async #rest(address: string, ms: Millis, over: AbortSignal): Promise<void> {
    const awake = new AbortController();
    if (address === localNetwork) this.#wakeFinder = () => awake.abort();
    await this.#clock.sleep(ms, AbortSignal.any([over, awake.signal]));
  }

  #joined(address: string, member: MemberId): void {
    this.#member = member;
    this.#search.abort();
    const event = "swarm-joined";
    const told = this.#told.get(address);
    if (told?.event === event && told.reason === member) return;
    this.#told.set(address, { event, reason: member });
    this.#logger.info(event, { by: this.#options.readable(address), member });
  }

  #failed(
    address: string,
    attempt: number,
    outcome: Exclude<JoinOutcome, { readonly kind: "joined" }>,
  ): void {
    const reason = "detail" in outcome ? outcome.detail : "no answer in time";
    const event = outcome.kind === "refused" ? "join-refused" : "cannot-reach";
    const named = this.#options.named.has(address);
    const told = this.#told.get(address);
    const isFollowing = told?.event === event && reason === keptOutDetail;
    if (told?.reason !== reason && !isFollowing) {
      this.#told.set(address, { event, reason });
      const fields = { address: this.#options.readable(address), reason };
      if (named) this.#logger.warn(event, { ...fields, next: "it is tried again" });
      else this.#logger.debug(event, fields);
    }
    if (attempt >= attemptsBeforeBeginning) this.#hopeless.add(address);
    if (this.#hopeless.size < this.#searching || this.#saidNobody) return;
    this.#saidNobody = true;
    this.#options.onNobody?.();
  }
}

/** The API has an address too; the advice must name the right flag. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof CrawlError) || error.code !== "LISTEN_FAILED") return error;
  if (error.message.includes(";")) return error;
  const advice =
    "name another address for the swarm with --listen HOST:PORT (port 0 takes a free one)";
  return new CrawlError(error.code, `${error.message}; ${advice}`, error.details, { cause: error });
}
