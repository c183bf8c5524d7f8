import { closeSync, openSync, writeSync } from "node:fs";

import type { Millis } from "../../src/core/units.ts";

/** One request that the sample server saw. */
export interface Hit {
  /** When the request's head was complete: milliseconds since the epoch, with fractions, never running backwards. */
  readonly arrivedAtMs: Millis;
  /** Just before the last byte of the answer was handed to the system; when the connection ended, where none was. */
  readonly finishedAtMs: Millis;
  /** Host header without the port, in lower case. */
  readonly host: string;
  /** Address that was connected to. */
  readonly address: string;
  /** Address that the connection came from; nothing in logs of servers that did not note it. */
  readonly client?: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** 0 where the connection was reset, or closed by the client before an answer. */
  readonly status: number;
  /** Body bytes sent, content coding included. */
  readonly bytes: number;
  readonly userAgent: string;
  /** False when the client went away before the whole answer was handed over. */
  readonly complete: boolean;
}

/** Lines are written once that many bytes wait; a stopped log is always whole. */
const pendingBytesMax = 65_536;

/**
 * Log of hits: in memory, in an NDJSON file that is only ever appended to, or both.
 *
 * What waits in memory is written by `flush`, which the server also calls now and then.
 */
export class HitLog {
  readonly hits: Hit[] = [];
  readonly #keeps: boolean;
  readonly #descriptor: number | undefined;
  #pending = "";
  #open = true;

  constructor(options: { readonly file?: string | undefined; readonly keep: boolean }) {
    this.#keeps = options.keep;
    this.#descriptor = options.file === undefined ? undefined : openSync(options.file, "a");
  }

  add(hit: Hit): void {
    if (this.#keeps) this.hits.push(hit);
    if (this.#descriptor === undefined || !this.#open) return;
    this.#pending += `${JSON.stringify(hit)}\n`;
    if (this.#pending.length >= pendingBytesMax) this.flush();
  }

  flush(): void {
    if (this.#descriptor === undefined || this.#pending === "") return;
    const lines = Buffer.from(this.#pending);
    this.#pending = "";
    let at = 0;
    while (at < lines.length) at += writeSync(this.#descriptor, lines, at);
  }

  /** Idempotent. */
  close(): void {
    if (!this.#open) return;
    this.flush();
    this.#open = false;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
