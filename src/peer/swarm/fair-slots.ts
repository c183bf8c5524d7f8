import type { MemberId } from "../../core/units.ts";

/** Does a work when its turn comes. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Works of one member that wait, at most: more than the streams that it may have open have room for. */
const waitingMax = 1_024;

/**
 * A number of places that members take in turn: one that asks much waits for itself, and keeps nobody else waiting for more
 * than one work of its own. The caller looks whether a member's line is full: what waits may outlive the connection that it
 * came by.
 */
export class FairSlots {
  #free: number;
  /** What each member waits with; whose turn it is next comes first. */
  readonly #lines = new Map<MemberId, (() => void)[]>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether as much of the member waits as may. */
  isFull(member: MemberId): boolean {
    return (this.#lines.get(member)?.length ?? 0) >= waitingMax;
  }

  /** Runs `work` as soon as a place is free and it is the member's turn; of one member in the order of the calls. */
  async run<T>(member: MemberId, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turnOf(member);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #turnOf(member: MemberId): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const line = this.#lines.get(member);
    const begin = (): void => resolve(undefined);
    if (line) line.push(begin);
    else this.#lines.set(member, [begin]);
    return promise;
  }

  #passOn(): void {
    for (const [member, [begin, ...rest]] of this.#lines) {
      this.#lines.delete(member);
      // Behind the others.
      if (rest.length > 0) this.#lines.set(member, rest);
      begin?.();
      return;
    }
    this.#free += 1;
  }
}
