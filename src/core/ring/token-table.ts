import { circle, type RingPosition } from "./ring-position.ts";

/** Number of distinct tokens: a token is the high 32 bits of a position, half the memory of a whole one. */
const tokensMax = 2 ** 32;

/** Positions from one token to the next number. */
const tokenSpan = circle / tokensMax;

/** First distance at which a search looks around its guess; then it doubles. */
const firstStep = 8;

/** A member's slot, and its tokens. */
interface SlotTokens {
  readonly slot: number;
  readonly tokens: Uint32Array;
}

/**
 * The tokens of all members in ring order, each with its member's slot: a number below 2^16.
 *
 * Both arrays are plain memory, so that a table of millions of tokens is copied by blocks when a member comes or goes.
 *
 * Invariant: `tokens` never falls, and equal tokens are in the order of their members' ids, so that the table depends on
 * the members alone.
 */
export class TokenTable {
  static readonly empty = new TokenTable(new Uint32Array(0), new Uint16Array(0));

  readonly #tokens: Uint32Array;
  readonly #slots: Uint16Array;

  private constructor(tokens: Uint32Array, slots: Uint16Array) {
    this.#tokens = tokens;
    this.#slots = slots;
  }

  /** A table of these members alone, in the order of their ids and of their slots. */
  static of(members: readonly SlotTokens[]): TokenTable {
    const length = members.reduce((sum, { tokens }) => sum + tokens.length, 0);
    // Token and slot in one double of 48 bits: the engine sorts numbers without a comparison function.
    const keyed = new Float64Array(length);
    let at = 0;
    for (const member of members) {
      for (const token of member.tokens) keyed[at++] = token * 2 ** 16 + member.slot;
    }
    keyed.sort();
    const tokens = new Uint32Array(length);
    const slots = new Uint16Array(length);
    for (let i = 0; i < length; i += 1) {
      const key = keyed[i] ?? 0;
      const token = Math.floor(key / 2 ** 16);
      tokens[i] = token;
      slots[i] = key - token * 2 ** 16;
    }
    return new TokenTable(tokens, slots);
  }

  get length(): number {
    return this.#tokens.length;
  }

  /** Member of the token at an index; behind the last one the ring begins again. */
  slotAt(index: number): number {
    return this.#slots[index] ?? this.#slots[index - this.#slots.length] ?? 0;
  }

  /** Where the token at an index stands, which is where its arc ends; the circle's end behind the last one. */
  endAt(index: number): RingPosition {
    const token = this.#tokens[index];
    return (token === undefined ? circle : token * tokenSpan) as RingPosition;
  }

  /** Where the arc of the token at an index begins: at the token before, or at 0. */
  startAt(index: number): RingPosition {
    return (index === 0 ? 0 : this.endAt(index - 1)) as RingPosition;
  }

  /** Index of the next token of a member, `from` included; -1 when there is none. */
  indexOfSlot(slot: number, from: number): number {
    return this.#slots.indexOf(slot, from);
  }

  /** Index of the first token behind `position`; the table's length when there is none. */
  firstAfter(position: RingPosition): number {
    return this.#firstAbove(Math.floor(position / tokenSpan));
  }

  /** With the tokens of `other`, of other slots; `isBefore` compares the ids of the members at two slots. */
  union(other: TokenTable, isBefore: (slot: number, other: number) => boolean): TokenTable {
    if (other.length === 0) return this;
    if (this.length === 0) return other;
    const length = this.length + other.length;
    const tokens = new Uint32Array(length);
    const slots = new Uint16Array(length);
    let done = 0;
    let added = 0;
    const copyUntil = (until: number): void => {
      tokens.set(this.#tokens.subarray(done, until), done + added);
      slots.set(this.#slots.subarray(done, until), done + added);
      done = until;
    };
    for (; added < other.length; added += 1) {
      const token = other.#tokens[added] ?? 0;
      const slot = other.slotAt(added);
      let until = this.#firstAbove(token);
      while (this.#tokens[until - 1] === token && isBefore(slot, this.slotAt(until - 1))) {
        until -= 1;
      }
      copyUntil(until);
      tokens[until + added] = token;
      slots[until + added] = slot;
    }
    copyUntil(this.length);
    return new TokenTable(tokens, slots);
  }

  /** Without the members at `gone`, which have `count` tokens together. */
  without(gone: readonly number[], count: number): TokenTable {
    if (count === 0) return this;
    const nextGone = this.#finderOf(gone);
    const tokens = new Uint32Array(this.length - count);
    const slots = new Uint16Array(this.length - count);
    let done = 0;
    for (let removed = 0; removed <= count; removed += 1) {
      const until = removed === count ? this.length : nextGone(done);
      tokens.set(this.#tokens.subarray(done, until), done - removed);
      slots.set(this.#slots.subarray(done, until), done - removed);
      done = until + 1;
    }
    return new TokenTable(tokens, slots);
  }

  /** What finds the next token, `from` included, of one of these slots, which has one. */
  #finderOf(wanted: readonly number[]): (from: number) => number {
    const [one] = wanted;
    if (one !== undefined && wanted.length === 1) return (from) => this.indexOfSlot(one, from);
    const isWanted = new Uint8Array(2 ** 16);
    for (const slot of wanted) isWanted[slot] = 1;
    return (from) => {
      let at = from;
      while (isWanted[this.#slots[at] ?? 0] === 0) at += 1;
      return at;
    };
  }

  /**
   * Index of the first token above `token`. Tokens are spread evenly, so that a guess is off by about the square root of
   * their number, and a second one, from where the first fell, by the square root of that distance. The search gallops
   * from there (Bentley & Yao 1976): of a table larger than the caches it touches three or four lines.
   */
  #firstAbove(token: number): number {
    const tokens = this.#tokens;
    const length = tokens.length;
    const density = length / tokensMax;
    let guess = Math.floor(token * density);
    guess += Math.floor((token - (tokens[guess] ?? 0)) * density);
    guess = Math.min(Math.max(guess, 0), length);
    let low = 0;
    let high = length;
    let step = firstStep;
    if ((tokens[guess] ?? tokensMax) > token) {
      high = guess;
      let probe = guess - step;
      while (probe >= 0 && (tokens[probe] ?? 0) > token) {
        high = probe;
        step *= 2;
        probe -= step;
      }
      low = Math.max(probe + 1, 0);
    } else {
      low = guess + 1;
      let probe = guess + step;
      while (probe < length && (tokens[probe] ?? 0) <= token) {
        low = probe + 1;
        step *= 2;
        probe += step;
      }
      high = Math.min(probe, length);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((tokens[middle] ?? 0) > token) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
