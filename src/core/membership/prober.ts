import type { MemberId, Millis } from "../units.ts";

/** Probes of its own under way at one time, at most; far more than a healthy swarm ever needs. */
const probesMax = 256;
/** Probes on behalf of others under way at one time, at most. */
const errandsMax = 1_024;
/** An errand's nack leaves after this share of the probe's time-out, to be back in time (Lifeguard, section IV-A). */
const nackShare = 0.8;
/**
 * Of the first probe of a member that has said nothing to this one yet, in usual times of a probe: it waits for a connection,
 * of which each handshake takes a round trip or more.
 */
export const firstPatience = 5;
/** Sequence numbers start again after this one, so that they fit a protocol's 32 bits. */
const sequenceMax = 0xffff_ffff;

interface Probe {
  readonly target: MemberId;
  indirectAtMs: Millis;
  failAtMs: Millis;
  /** Who was asked to help; undefined before that. */
  helpers: Set<MemberId> | undefined;
  /** Helpers that have said nothing yet. */
  readonly silent: Set<MemberId>;
}

/** A probe on behalf of another member. */
interface Errand {
  readonly target: MemberId;
  readonly to: MemberId;
  readonly sequence: number;
  nackAtMs: Millis;
  endAtMs: Millis;
  nacked: boolean;
}

/** What time asks for. */
export type ProbeEvent =
  | { readonly kind: "ask-others"; readonly target: MemberId; readonly sequence: number }
  /** `silent`: those of its helpers that were silent too. */
  | {
      readonly kind: "failed";
      readonly target: MemberId;
      readonly helpers: ReadonlySet<MemberId>;
      readonly silent: ReadonlySet<MemberId>;
    }
  | { readonly kind: "nack"; readonly to: MemberId; readonly sequence: number };

/**
 * What the end of a probe says of this member's own ears: as many as its helpers that were silent too; 1 where there were
 * none to ask. Only who `hasMet` says is surely there.
 */
export function signsOfIllness(
  { target, helpers, silent }: Extract<ProbeEvent, { readonly kind: "failed" }>,
  hasMet: (id: MemberId) => boolean,
): number {
  if (![...helpers].some(hasMet)) return hasMet(target) ? 1 : 0;
  return [...silent].filter(hasMet).length;
}

/** Whose question an answer settles. */
export type ProbeAnswer =
  | { readonly kind: "own"; readonly target: MemberId }
  | { readonly kind: "errand"; readonly to: MemberId; readonly sequence: number };

/**
 * The probes under way: its own, and those on behalf of others.
 *
 * Invariant: a target has at most one own probe. An answer counts only from the target or from a member that was asked to
 * help, and once.
 */
export class Prober {
  readonly #probes = new Map<number, Probe>();
  readonly #targets = new Set<MemberId>();
  readonly #errands = new Map<number, Errand>();
  #sequence = 0;

  get hasRoom(): boolean {
    return this.#probes.size < probesMax;
  }

  isProbing(target: MemberId): boolean {
    return this.#targets.has(target);
  }

  /** Begins a probe, asking others after `timeoutMs` and giving up after `failMs`; returns its sequence number. */
  begin(target: MemberId, nowMs: Millis, timeoutMs: Millis, failMs: Millis): number {
    const sequence = this.#nextSequence();
    this.#targets.add(target);
    this.#probes.set(sequence, {
      target,
      indirectAtMs: nowMs + timeoutMs,
      failAtMs: nowMs + failMs,
      helpers: undefined,
      silent: new Set(),
    });
    return sequence;
  }

  /** Begins a probe for `to`, which calls it `sequence`; undefined when there is no room. */
  beginErrand(
    target: MemberId,
    origin: { readonly to: MemberId; readonly sequence: number },
    nowMs: Millis,
    limits: { readonly timeoutMs: Millis; readonly endMs: Millis },
  ): number | undefined {
    if (this.#errands.size >= errandsMax) return undefined;
    const sequence = this.#nextSequence();
    this.#errands.set(sequence, {
      target,
      to: origin.to,
      sequence: origin.sequence,
      nackAtMs: nowMs + limits.timeoutMs * nackShare,
      endAtMs: nowMs + limits.endMs,
      nacked: false,
    });
    return sequence;
  }

  /** Notes who was asked to help with a probe. */
  asked(sequence: number, helpers: readonly MemberId[]): void {
    const probe = this.#probes.get(sequence);
    if (probe === undefined) return;
    probe.helpers = new Set(helpers);
    for (const helper of helpers) probe.silent.add(helper);
  }

  /** An answer came; undefined when nobody waits for it. */
  acked(from: MemberId, sequence: number): ProbeAnswer | undefined {
    const probe = this.#probes.get(sequence);
    if (probe !== undefined && (probe.target === from || probe.helpers?.has(from) === true)) {
      this.#end(sequence, probe);
      return { kind: "own", target: probe.target };
    }
    const errand = this.#errands.get(sequence);
    if (errand?.target !== from) return undefined;
    this.#errands.delete(sequence);
    return { kind: "errand", to: errand.to, sequence: errand.sequence };
  }

  /** A helper says that it is well, but the target silent; each counts once. */
  nacked(from: MemberId, sequence: number): void {
    this.#probes.get(sequence)?.silent.delete(from);
  }

  /** What is to be done by now; each event comes once. */
  due(nowMs: Millis): ProbeEvent[] {
    const events: ProbeEvent[] = [];
    for (const [sequence, probe] of this.#probes) {
      const { target, helpers } = probe;
      if (nowMs >= probe.failAtMs) {
        this.#end(sequence, probe);
        const { silent } = probe;
        events.push({ kind: "failed", target, helpers: helpers ?? new Set(), silent });
      } else if (nowMs >= probe.indirectAtMs && helpers === undefined) {
        events.push({ kind: "ask-others", target, sequence });
      }
    }
    for (const [sequence, errand] of this.#errands) {
      if (nowMs >= errand.nackAtMs && !errand.nacked) {
        errand.nacked = true;
        events.push({ kind: "nack", to: errand.to, sequence: errand.sequence });
      }
      if (nowMs >= errand.endAtMs) this.#errands.delete(sequence);
    }
    return events;
  }

  nextAtMs(): Millis {
    let nextMs = Infinity;
    for (const probe of this.#probes.values()) {
      const atMs = probe.helpers === undefined ? probe.indirectAtMs : probe.failAtMs;
      nextMs = Math.min(nextMs, atMs, probe.failAtMs);
    }
    for (const errand of this.#errands.values()) {
      nextMs = Math.min(nextMs, errand.nacked ? errand.endAtMs : errand.nackAtMs);
    }
    return nextMs;
  }

  /** Puts everything off: this process did not run for so long. */
  shift(byMs: Millis): void {
    for (const probe of this.#probes.values()) {
      probe.indirectAtMs += byMs;
      probe.failAtMs += byMs;
    }
    for (const errand of this.#errands.values()) {
      errand.nackAtMs += byMs;
      errand.endAtMs += byMs;
    }
  }

  #end(sequence: number, probe: Probe): void {
    this.#probes.delete(sequence);
    this.#targets.delete(probe.target);
  }

  #nextSequence(): number {
    this.#sequence = this.#sequence === sequenceMax ? 1 : this.#sequence + 1;
    return this.#sequence;
  }
}
