import { closeSync, openSync, readSync } from "node:fs";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";

const chunkBytes = 1_048_576;

/** Reads a log of hits while it is written; the server writes it several times a second. */
export class HitTail {
  readonly #file: string;
  readonly #chunk = Buffer.alloc(chunkBytes);
  #rest = "";
  #at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The hits since the last call. */
  read(): Hit[] {
    const lines = (this.#rest + this.#readText()).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map((line) => JSON.parse(line) as Hit);
  }

  #readText(): string {
    const descriptor = openSync(this.#file, "r");
    // Hits are ASCII, as requests are, so no character is torn at the end of a chunk.
    let text = "";
    try {
      for (;;) {
        const bytes = readSync(descriptor, this.#chunk, 0, chunkBytes, this.#at);
        if (bytes === 0) return text;
        this.#at += bytes;
        text += this.#chunk.toString("latin1", 0, bytes);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
