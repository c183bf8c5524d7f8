/** Something that can be told to give up. */
export interface Abortable {
  abort(): void;
}

interface AbortGroup {
  readonly members: Set<Abortable>;
  readonly listener: () => void;
}

/**
 * Tells exchanges that their signal has aborted, with one listener for each signal however many exchanges share it:
 * removing one listener of many costs time in proportion to their number.
 *
 * Invariant: a signal without exchanges has no listener of ours.
 */
export class AbortRegistry {
  readonly #groups = new Map<AbortSignal, AbortGroup>();

  /** Aborts `member` once `signal` aborts, unless it is removed before. */
  add(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal);
    if (group !== undefined) {
      group.members.add(member);
      return;
    }
    const members = new Set([member]);
    const listener = (): void => {
      this.#groups.delete(signal);
      for (const one of members) one.abort();
    };
    this.#groups.set(signal, { members, listener });
    signal.addEventListener("abort", listener, { once: true });
  }

  remove(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal);
    if (group?.members.delete(member) !== true || group.members.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.listener);
  }
}
