/** One hot path to be measured by itself. */
export interface MicroBenchmark {
  /** Its group, which is the name of its file, and what is done: `group/what`. */
  readonly name: string;
  /** What one operation is, in one word or two. */
  readonly operation: string;
  /**
   * Whose processor time counts: of the thread that calls, or of all threads where others do a part of the work.
   * @default "own"
   */
  readonly threads?: "own" | "all";
  /** Makes the inputs, always the same. `directory` is empty, and removed afterwards. */
  readonly start: (directory: string) => Load | Promise<Load>;
}

/** A benchmark's work, ready to be done again and again. */
export interface Load {
  /** Operations of one pass. */
  readonly operations: number;
  /** Bytes that one pass reads, where the rate of bytes says something. */
  readonly bytes?: number;
  /** Comes before each pass; its time does not count. */
  readonly prepare?: () => unknown;
  /** The work: a few milliseconds, of which something that depends on all of it is returned. */
  readonly pass: () => unknown;
  readonly stop?: () => Promise<void>;
}
