import type { Millis } from "../../core/units.ts";

/** Time by which a server is judged: it stands still while the server waits for us. */
export class OwnTime {
  #standsSinceMs: Millis | undefined;
  #stoodMs: Millis = 0;

  get stands(): boolean {
    return this.#standsSinceMs !== undefined;
  }

  stop(nowMs: Millis): void {
    this.#standsSinceMs ??= nowMs;
  }

  goOn(nowMs: Millis): void {
    this.#stoodMs = this.stoodMs(nowMs);
    this.#standsSinceMs = undefined;
  }

  /** How long it has stood still in all. */
  stoodMs(nowMs: Millis): Millis {
    return this.#stoodMs + (nowMs - (this.#standsSinceMs ?? nowMs));
  }

  at(nowMs: Millis): Millis {
    return nowMs - this.stoodMs(nowMs);
  }
}
