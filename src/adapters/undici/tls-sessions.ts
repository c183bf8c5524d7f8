import { forgetOldest } from "../../core/forget-oldest.ts";

/**
 * TLS sessions by origin, so that opening another connection to the same server is cheap. The least recently issued
 * goes first.
 */
export class TlsSessions {
  readonly #sessionsMax: number;
  readonly #sessions = new Map<string, Buffer>();

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  get(origin: string): Buffer | undefined {
    return this.#sessions.get(origin);
  }

  /** Forgets this session, unless a later one has been issued. */
  drop(origin: string, session: Buffer): void {
    if (this.#sessions.get(origin) === session) this.#sessions.delete(origin);
  }

  set(origin: string, session: Buffer): void {
    this.#sessions.delete(origin);
    this.#sessions.set(origin, session);
    forgetOldest(this.#sessions, this.#sessionsMax);
  }
}
