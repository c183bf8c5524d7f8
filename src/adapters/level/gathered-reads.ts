import type { Bytes } from "../../ports/store.ts";

/** Keys of one read, at most: each is a look-up in a thread that other reads wait for. */
const keysMax = 256;

interface Question {
  readonly key: Bytes;
  readonly answer: PromiseWithResolvers<Bytes | undefined>;
}

/**
 * Reads of single keys, made many at a time: one read is under way, and the keys asked for meanwhile gather in the next.
 * Each read wakes a thread; a busy peer asks for several keys in every turn of its loop.
 */
export class GatheredReads {
  readonly #readMany: (keys: Bytes[]) => Promise<(Bytes | undefined)[]>;
  readonly #questions: Question[] = [];
  #isReading = false;

  constructor(readMany: (keys: Bytes[]) => Promise<(Bytes | undefined)[]>) {
    this.#readMany = readMany;
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    const answer = Promise.withResolvers<Bytes | undefined>();
    this.#questions.push({ key, answer });
    if (!this.#isReading) void this.#readAll();
    return answer.promise;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#questions.length > 0) {
      const questions = this.#questions.splice(0, keysMax);
      try {
        const values = await this.#readMany(questions.map(({ key }) => key));
        for (const [at, { answer }] of questions.entries()) answer.resolve(values[at]);
      } catch (error) {
        for (const { answer } of questions) answer.reject(error);
      }
    }
    this.#isReading = false;
  }
}
