import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ProcessMemory } from "../process-memory.ts";

/** What the lines of `queue-holder.ts` tell; moments are those of `Date.now()`. */
export type HolderLine =
  | ({ readonly kind: "filling"; readonly admitted: number } & ProcessMemory)
  | ({ readonly kind: "filled"; readonly admitted: number } & ProcessMemory)
  | { readonly kind: "first-lease"; readonly atMs: number }
  | { readonly kind: "first-fetch"; readonly atMs: number }
  | ({ readonly kind: "drained" } & Drained & ProcessMemory);

/** How taking URLs out of the queue went. */
export interface Drained {
  readonly taken: number;
  readonly seconds: number;
  /** Quantiles of what a URL cost the frontier, in the order of {@link drainShares}. */
  readonly takeMs: readonly number[];
  readonly dequeueMs: readonly number[];
  readonly loopDelayMs: readonly number[];
  /** Part of the time in which the frontier had nothing to give. */
  readonly waitedShare: number;
}

export const drainShares = [0.5, 0.99, 0.999, 1] as const;

/** A process that runs `queue-holder.ts`. */
export class QueueProcess {
  readonly startedAtMs = Date.now();
  readonly #child;
  readonly #exited: Promise<unknown>;
  readonly #lines: AsyncIterator<string, undefined>;

  /** `script` is the built program. */
  constructor(script: string, words: readonly string[]) {
    this.#child = spawn(process.execPath, [script, ...words], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#exited = once(this.#child, "exit");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line of that kind; those before it are given to `onOther`. */
  async next<K extends HolderLine["kind"]>(
    kind: K,
    onOther: (line: HolderLine) => void = () => undefined,
  ): Promise<Extract<HolderLine, { readonly kind: K }>> {
    for (;;) {
      const { value } = await this.#lines.next();
      if (value === undefined) throw new Error(`the process ended before its line "${kind}"`);
      const line = JSON.parse(value) as HolderLine;
      if (isOf(line, kind)) return line;
      onOther(line);
    }
  }

  /** Ends it as a crash does. Idempotent. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}

function isOf<K extends HolderLine["kind"]>(
  line: HolderLine,
  kind: K,
): line is Extract<HolderLine, { readonly kind: K }> {
  return line.kind === kind;
}
