import { isIP } from "node:net";
import { ADDRCONFIG } from "node:dns";
import { Resolver as CaresResolver, lookup } from "node:dns/promises";
import type { LookupAddress, LookupAllOptions, RecordWithTtl } from "node:dns";
import { CrawlError, errorCode } from "../../core/errors.ts";
import { FairSlots } from "../../core/fair-slots.ts";
import { connectedAddress } from "../../core/net/address-policy.ts";
import type { HostName, Millis } from "../../core/units.ts";
import { siteOfHost } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ResolveFailure, ResolveOutcome, Resolver } from "../../ports/resolver.ts";
import { AnswerCache } from "./answer-cache.ts";
import { HostsFile, systemHostsFile } from "./hosts-file.ts";

export interface DnsResolverOptions {
  /** `HOST:PORT` of the only server to ask; undefined asks the system's servers, then the system itself. @default undefined */
  readonly server: string | undefined;
  /** Whether IPv6 addresses are asked for first, as a machine needs that has no others. @default never */
  readonly prefersIPv6: () => boolean;
  /** How long one try may take. @default 2_500 */
  readonly timeoutMs: Millis;
  /** How often each server is asked. @default 2 */
  readonly tries: number;
  /** After a failure the system is asked for its servers again, at most so often. @default 5_000 */
  readonly rereadMs: Millis;
  /** An answer is kept at least so long, whatever its records say: a shorter time would ask again for each page. @default 30_000 */
  readonly ttlMsMin: Millis;
  /** An answer is kept at most so long. @default 86_400_000 */
  readonly ttlMsMax: Millis;
  /**
   * How long it is remembered that a name has no address, or could not be resolved: no longer than a host rests after its first
   * failure, so that each of its attempts is a new question. RFC 9520, section 3.2, asks for a second at least. @default 1_000
   */
  readonly failureTtlMs: Millis;
  /** How long an answer of the system is kept, which comes without a time. @default 300_000 */
  readonly systemTtlMs: Millis;
  /** Names remembered, each some 300 bytes. @default 100_000 */
  readonly cachedNamesMax: number;
  /** Questions on the wire at a time; where more wait, the sites of their names take turns. @default 64 */
  readonly concurrencyMax: number;
  /** Questions that may wait for that; above it a name fails at once. @default 10_000 */
  readonly waitingMax: number;
}

export const defaultDnsResolverOptions: DnsResolverOptions = {
  server: undefined,
  prefersIPv6: () => false,
  timeoutMs: 2_500,
  tries: 2,
  rereadMs: 5_000,
  ttlMsMin: 30_000,
  ttlMsMax: 86_400_000,
  failureTtlMs: 1_000,
  systemTtlMs: 300_000,
  cachedNamesMax: 100_000,
  concurrencyMax: 64,
  waitingMax: 10_000,
};

type CaresSettings = ConstructorParameters<typeof CaresResolver>[0];

export interface DnsResolverPorts {
  readonly clock: Pick<Clock, "nowMs">;
  /** With the servers that the system has now. @default one of Node.js, which reads its configuration */
  readonly newCares?: (settings: CaresSettings) => CaresResolver;
  /** The system's own way to the addresses of a name. @default `getaddrinfo` */
  readonly lookUp?: (name: string, options: LookupAllOptions) => Promise<readonly LookupAddress[]>;
  /** @default the system's */
  readonly hostsFile?: string;
}

/** Addresses of one name that are kept; no caller tries more. */
const addressesMax = 16;

/** `getaddrinfo` blocks a thread of the small pool that files and zlib need too. */
const systemLookupsMax = 2;

/** What each code of c-ares and of `getaddrinfo` means; every other one is `dns-error`. */
const failureByCode: ReadonlyMap<string, ResolveFailure> = new Map([
  // Such a name cannot be asked for: it has an empty label, one that is too long, or characters that no host's name has.
  ["EBADNAME", "dns-not-found"],
  ["ECANCELLED", "aborted"],
  ["EAI_NODATA", "dns-not-found"],
  ["ENODATA", "dns-not-found"],
  ["ENONAME", "dns-not-found"],
  ["ENOTFOUND", "dns-not-found"],
  ["ETIMEOUT", "dns-timeout"],
] as const);

/** An answer is malformed: with this c-ares ends every question that waits for an answer on the same socket. */
const unreadableCode = "EBADRESP";

/**
 * No answer in time, which for c-ares is five times the mean of those that came before, a quarter of a second at least: where
 * a server knows most names, too short for those that it has to ask others for.
 */
const unansweredCode = "ETIMEOUT";

interface Answer {
  readonly addresses: readonly string[];
  readonly ttlMs: Millis;
}

/**
 * Resolves names with c-ares, which needs no thread, and remembers what it learned within bounds.
 *
 * IPv4 addresses are asked for first, IPv6 addresses only where there are none: one question for nearly every name. With
 * `prefersIPv6` it is the other way round. A machine may move to another network: when a question fails that is for the
 * system's servers, what these are is read again, and where they have changed, they are asked it.
 * `localhost` and the names below it are this machine without a question (RFC 6761, section 6.3). Without a server
 * option, a name of the system's hosts file is what stands there: who tries out a copy of a site under its own name means
 * the copy. A name that the system's servers do not know, or that they cannot be asked for, is looked up by the system too,
 * which knows names of one label below its search domains. A name of several labels is the whole name: with a search domain
 * behind it, it would be another host's.
 */
export class DnsResolver implements Resolver {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #options: DnsResolverOptions;
  readonly #newCares: () => CaresResolver;
  readonly #lookUp: NonNullable<DnsResolverPorts["lookUp"]>;
  readonly #hostsFile: HostsFile;
  #cares: CaresResolver;
  #prefersIPv6: boolean;
  #readAtMs: Millis;
  /** Each for one question that is asked apart from the others; at most one more than questions may be on the wire. */
  readonly #caresApart = new Set<CaresResolver>();
  readonly #cache: AnswerCache;
  readonly #questions = new Map<HostName, Promise<ResolveOutcome>>();
  readonly #slots: FairSlots;
  readonly #systemSlots: FairSlots;
  #stopped = false;

  constructor(ports: DnsResolverPorts, options: DnsResolverOptions) {
    this.#clock = ports.clock;
    this.#options = options;
    this.#newCares = () => caresWith(options, ports.newCares);
    this.#lookUp = ports.lookUp ?? lookup;
    this.#hostsFile = new HostsFile(ports.hostsFile ?? systemHostsFile());
    this.#cares = this.#newCares();
    this.#prefersIPv6 = options.prefersIPv6();
    this.#readAtMs = ports.clock.nowMs();
    this.#cache = new AnswerCache(options.cachedNamesMax);
    this.#slots = new FairSlots(options.concurrencyMax, options);
    this.#systemSlots = new FairSlots(systemLookupsMax, { waitingMax: options.concurrencyMax });
  }

  resolve(host: HostName, signal: AbortSignal): Promise<ResolveOutcome> {
    const isOver = signal.aborted || this.#stopped;
    const cached = isOver ? undefined : this.#cache.get(host, this.#clock.nowMs());
    return cached === undefined ? this.resolveAnew(host, signal) : Promise.resolve(cached);
  }

  /** The same, but what is remembered does not count: whoever wants to know whether the name servers answer asks so. */
  resolveAnew(host: HostName, signal: AbortSignal): Promise<ResolveOutcome> {
    if (signal.aborted || this.#stopped) return Promise.resolve(abortedOutcome);
    const known = addressesWithoutQuestion(host);
    if (known !== undefined) {
      return Promise.resolve(foundOutcome(known, this.#clock.nowMs() + this.#options.ttlMsMax));
    }
    const question = this.#questions.get(host) ?? this.#question(host);
    return unlessAborted(question, signal, abortedOutcome);
  }

  /** Whether a name server is asked for its addresses at all. */
  needsServer(host: HostName): boolean {
    return addressesWithoutQuestion(host) === undefined;
  }

  /**
   * Whether a name server answers a question that each of them can answer, whatever becomes of names: for the servers of the
   * root. One that has none behind it fails there, or refuses. That there is no such thing is an answer.
   */
  async knowsRoot(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.#stopped) return false;
    const answers = this.#apart((cares) => cares.resolveNs(".")).then(
      () => true,
      (error: unknown) => failureByCode.get(errorCode(error) ?? "") === "dns-not-found",
    );
    return unlessAborted(answers, signal, false);
  }

  /** Ends the questions under way with `aborted`; idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#cares.cancel();
    for (const cares of this.#caresApart) cares.cancel();
  }

  #question(host: HostName): Promise<ResolveOutcome> {
    const site = siteOfHost(host);
    if (this.#slots.isFull(site)) {
      return Promise.resolve(failedOutcome("dns-error", "too many questions at a time"));
    }
    const question = this.#slots
      .run(site, () => this.#answer(host))
      .finally(() => this.#questions.delete(host));
    this.#questions.set(host, question);
    return question;
  }

  /** Never rejects. */
  async #answer(host: HostName): Promise<ResolveOutcome> {
    const askedAtMs = this.#clock.nowMs();
    const isOfHostsFile = await this.#isOfHostsFile(host);
    // Asked here, behind the file: what begins after the end nobody would cancel.
    if (this.#stopped) return abortedOutcome;
    try {
      const { addresses, ttlMs } = isOfHostsFile
        ? await this.#systemAnswer(host)
        : await this.#ask(host, askedAtMs);
      if (addresses.length === 0) return this.#remember(host, "dns-not-found", "no address");
      const boundedMs = Math.min(Math.max(ttlMs, this.#options.ttlMsMin), this.#options.ttlMsMax);
      const nowMs = this.#clock.nowMs();
      const outcome = foundOutcome(addresses.slice(0, addressesMax), nowMs + boundedMs);
      this.#cache.set(host, outcome, nowMs, boundedMs);
      return outcome;
    } catch (error) {
      const code = errorCode(error);
      const failure = failureByCode.get(code ?? "") ?? "dns-error";
      return this.#remember(host, failure, code ?? String(error));
    }
  }

  #remember(host: HostName, failure: ResolveFailure, detail: string): ResolveOutcome {
    if (failure === "aborted") return abortedOutcome;
    const outcome = failedOutcome(failure, detail);
    const nowMs = this.#clock.nowMs();
    // One that was asked anew may have an answer that still holds.
    if (this.#cache.get(host, nowMs)?.kind !== "addresses") {
      this.#cache.set(host, outcome, nowMs, this.#options.failureTtlMs);
    }
    return outcome;
  }

  async #isOfHostsFile(host: HostName): Promise<boolean> {
    return this.#options.server === undefined && (await this.#hostsFile.has(host));
  }

  async #ask(host: HostName, askedAtMs: Millis): Promise<Answer> {
    try {
      return await this.#askServers(host, askedAtMs);
    } catch (error) {
      const code = errorCode(error) ?? "";
      const unanswered = code === "ECONNREFUSED" || failureByCode.get(code) === "dns-not-found";
      if (this.#options.server !== undefined || !unanswered) throw error;
      if (this.#systemSlots.isFull(siteOfHost(host))) throw error;
      return this.#systemAnswer(host);
    }
  }

  #systemAnswer(host: HostName): Promise<Answer> {
    return this.#systemSlots.run(siteOfHost(host), () => this.#askSystem(host));
  }

  async #askServers(host: HostName, askedAtMs: Millis): Promise<Answer> {
    const cares = this.#cares;
    try {
      return await addressesBy(cares, host, this.#prefersIPv6);
    } catch (error) {
      const code = errorCode(error);
      const isEarly = this.#clock.nowMs() < askedAtMs + this.#options.timeoutMs;
      const isOpen =
        code === unreadableCode ||
        this.#hasOtherServers(cares) ||
        (code === unansweredCode && isEarly);
      if (this.#stopped || !isOpen) throw error;
    }
    // The answer that could not be read may have been that to another question, and the servers another network's. And a
    // c-ares that has had no answer yet waits as long as it is told to.
    return this.#askApart(host);
  }

  /** Whether the system's servers are others than those that have been asked. */
  #hasOtherServers(asked: CaresResolver): boolean {
    if (this.#options.server !== undefined) return false;
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#readAtMs + this.#options.rereadMs) {
      this.#readAtMs = nowMs;
      this.#prefersIPv6 = this.#options.prefersIPv6();
      const former = this.#cares;
      const fresh = this.#newCares();
      if (fresh.getServers().join() !== former.getServers().join()) {
        this.#cares = fresh;
        // Whoever waits for the former ones asks these.
        former.cancel();
      }
    }
    return this.#cares !== asked;
  }

  #askApart(host: HostName): Promise<Answer> {
    return this.#apart((cares) => addressesBy(cares, host, this.#prefersIPv6));
  }

  async #apart<T>(ask: (cares: CaresResolver) => Promise<T>): Promise<T> {
    const cares = this.#newCares();
    this.#caresApart.add(cares);
    try {
      return await ask(cares);
    } finally {
      this.#caresApart.delete(cares);
    }
  }

  async #askSystem(host: HostName): Promise<Answer> {
    const order = this.#prefersIPv6 ? "ipv6first" : "ipv4first";
    const isWhole = host.includes(".") && !(await this.#hostsFile.has(host));
    const name = isWhole ? `${host}.` : host;
    const found = await this.#lookUp(name, { all: true, order, hints: ADDRCONFIG });
    const addresses = found.map(({ address }) => address);
    return { addresses, ttlMs: this.#options.systemTtlMs };
  }
}

function caresWith(
  { timeoutMs, tries, server }: DnsResolverOptions,
  newCares: DnsResolverPorts["newCares"] = (settings) => new CaresResolver(settings),
): CaresResolver {
  const cares = newCares({ timeout: timeoutMs, tries });
  if (server !== undefined) useServer(cares, server);
  return cares;
}

async function addressesBy(
  cares: CaresResolver,
  host: HostName,
  prefersIPv6: boolean,
): Promise<Answer> {
  const askIPv4 = (): Promise<RecordWithTtl[]> => cares.resolve4(host, { ttl: true });
  const askIPv6 = (): Promise<RecordWithTtl[]> => cares.resolve6(host, { ttl: true });
  const [askFirst, askThen] = prefersIPv6 ? [askIPv6, askIPv4] : [askIPv4, askIPv6];
  try {
    const answer = answerOf(await askFirst());
    // That of an alias whose own name has none of these has no record but the alias, and is no error to c-ares.
    if (answer.addresses.length > 0) return answer;
  } catch (error) {
    if (errorCode(error) !== "ENODATA") throw error;
  }
  return answerOf(await askThen());
}

function useServer(cares: CaresResolver, server: string): void {
  try {
    cares.setServers([server]);
  } catch (cause) {
    const message = `expected a DNS server as ADDRESS:PORT, got ${server}`;
    throw new CrawlError("CONFIG_INVALID", message, { server }, { cause });
  }
}

const abortedOutcome: ResolveOutcome = failedOutcome("aborted", "the caller has given up");

function foundOutcome(addresses: readonly string[], expiresAtMs: Millis): ResolveOutcome {
  const connected = new Set(addresses.map(connectedAddress));
  return { kind: "addresses", addresses: [...connected], expiresAtMs };
}

function failedOutcome(failure: ResolveFailure, detail: string): ResolveOutcome {
  return { kind: "failure", failure, detail };
}

/** A TTL beyond it has its top bit set, and counts as zero (RFC 2181, section 8). */
const recordTtlSecondsMax = 2 ** 31 - 1;

/** A hosts-file answer may name an address twice; records may not, but a hostile server need not care. */
function answerOf(records: readonly RecordWithTtl[]): Answer {
  const addresses = new Set<string>();
  let ttlMs = Number.POSITIVE_INFINITY;
  for (const { address, ttl } of records) {
    addresses.add(address);
    ttlMs = Math.min(ttlMs, ttl > recordTtlSecondsMax ? 0 : ttl * 1_000);
  }
  return { addresses: [...addresses], ttlMs };
}

/** The addresses of a host that no name server is asked for: one that is an address itself, and this machine. */
function addressesWithoutQuestion(host: HostName): readonly string[] | undefined {
  const literal = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIP(literal) !== 0) return [literal];
  return host === "localhost" || host.endsWith(".localhost") ? ["127.0.0.1", "::1"] : undefined;
}

/** What comes of `question`, or `aborted` for this caller alone when its signal aborts first. */
function unlessAborted<T>(question: Promise<T>, signal: AbortSignal, aborted: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(aborted);
    signal.addEventListener("abort", onAbort, { once: true });
    question.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
