import type { MemberId, Millis } from "../units.ts";

/** One is asked after the other, this often, until one tells of a swarm. */
const retryMs: Millis = 1_000;

/** Contacts that are remembered. */
const contactsMax = 16;

interface Contact {
  readonly id: MemberId;
  wasAsked: boolean;
}

/**
 * Whom a member that has yet to find its swarm asks for their tables: one after the other, since whoever is asked tells all
 * of the newcomer, and many asked at once would say the same as often. Who is joining too may know no more than this member
 * does: then the next one is asked at once, and that one again later, as it may be the first to hear of the swarm.
 */
export class Contacts {
  #contacts: Contact[] = [];
  #nextAtMs: Millis = Infinity;

  /** When the next one is to be asked. */
  get nextAtMs(): Millis {
    return this.#nextAtMs;
  }

  get isEmpty(): boolean {
    return this.#contacts.length === 0;
  }

  /** These are asked next. */
  add(ids: readonly MemberId[], nowMs: Millis): void {
    const added = ids.map((id) => ({ id, wasAsked: false }));
    const rest = this.#contacts.filter(({ id }) => !ids.includes(id));
    this.#contacts = [...added, ...rest].slice(0, contactsMax);
    if (this.#nextAtMs === Infinity && !this.isEmpty) this.#nextAtMs = nowMs;
  }

  /** Somebody showed up who may know of a swarm. */
  meet(id: MemberId, nowMs: Millis): void {
    if (!this.#contacts.some((contact) => contact.id === id)) this.add([id], nowMs);
  }

  /** One has sent its table, which tells of no swarm. */
  knewNone(id: MemberId, nowMs: Millis): void {
    const known = this.#contacts.find((contact) => contact.id === id);
    if (known) known.wasAsked = true;
    else this.#contacts = [...this.#contacts, { id, wasAsked: true }].slice(0, contactsMax);
    const hasNew = this.#contacts.some(({ wasAsked }) => !wasAsked);
    this.#nextAtMs = hasNew ? nowMs : Math.min(this.#nextAtMs, nowMs + retryMs);
  }

  /** Who is to be asked now, if anybody. */
  next(nowMs: Millis): MemberId | undefined {
    if (nowMs < this.#nextAtMs) return undefined;
    const [first, ...rest] = this.#contacts;
    this.#nextAtMs = first === undefined ? Infinity : nowMs + retryMs;
    if (first === undefined) return undefined;
    first.wasAsked = true;
    this.#contacts = [...rest, first];
    return first.id;
  }

  /** Nobody needs to be asked any more. */
  clear(): void {
    this.#contacts = [];
    this.#nextAtMs = Infinity;
  }

  /** Puts off who is next. */
  shift(byMs: Millis): void {
    this.#nextAtMs += byMs;
  }
}
