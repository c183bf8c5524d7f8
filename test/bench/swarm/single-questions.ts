import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";

const connections = 32;

/** How the questions of one run were answered. */
export interface Asked {
  /** From when a question was to be sent to the end of its answer. */
  readonly latenciesMs: readonly number[];
  /** From when it was to be sent to when it was. */
  readonly lateMs: readonly number[];
  readonly failed: number;
}

/** Questions for the state of single URLs at one peer, in an open loop, over connections that are kept. */
export class SingleQuestions {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections });
  readonly #api: string;
  readonly #job: string;
  readonly #urls: readonly string[];

  /** The URLs are asked for in turns; all of them are known as fetched. */
  constructor(api: string, job: string, urls: readonly string[]) {
    if (urls.length === 0) throw new RangeError("nothing to ask for");
    this.#api = api;
    this.#job = job;
    this.#urls = urls;
  }

  async ask(rate: number, seconds: number): Promise<Asked> {
    const count = rate * seconds;
    const latenciesMs: number[] = [];
    const lateMs: number[] = [];
    const answers: Promise<void>[] = [];
    let failed = 0;
    const startedAtMs = performance.now();
    for (let n = 0; n < count;) {
      const dueAtMs = startedAtMs + (n * 1_000) / rate;
      const nowMs = performance.now();
      if (nowMs < dueAtMs) {
        await sleep(Math.max(1, dueAtMs - nowMs));
        continue;
      }
      lateMs.push(nowMs - dueAtMs);
      const answer = this.#one(this.#urls[n % this.#urls.length] ?? "").then(
        () => void latenciesMs.push(performance.now() - dueAtMs),
        () => void (failed += 1),
      );
      answers.push(answer);
      n += 1;
    }
    await Promise.all(answers);
    return { latenciesMs, lateMs, failed };
  }

  close(): void {
    this.#agent.destroy();
  }

  #one(url: string): Promise<void> {
    const query = new URLSearchParams({ url, job: this.#job }).toString();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const call = request(`${this.#api}/v1/status?${query}`, { agent: this.#agent });
    call.once("error", reject).once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("error", reject).once("end", () => {
        const { state } = JSON.parse(text) as Partial<UrlStatus>;
        if (state === "done") resolve(undefined);
        else reject(new Error(text));
      });
    });
    call.end();
    return promise;
  }
}
