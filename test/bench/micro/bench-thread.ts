import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Sample } from "./comparison.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./worker.ts";

const entry = new URL("./worker.ts", import.meta.url);

/** Two warm-ups with a pause between them, in which the compiler's threads finish what the first one asked for. */
const warmUpMs = [300, 200];

/** The thread of one benchmark, ready to give samples one at a time. Whatever breaks in it rejects the call that waits. */
export class BenchThread {
  readonly name: string;
  /** Bytes of one operation, where they say something. */
  readonly bytes: number | undefined;
  readonly #worker: Worker;

  private constructor(name: string, worker: Worker, bytes: number | undefined) {
    this.name = name;
    this.#worker = worker;
    this.bytes = bytes;
  }

  /** Starts a thread and warms it up. */
  static async start(settings: WorkerSettings): Promise<BenchThread> {
    const worker = new Worker(entry, { workerData: settings });
    const pass = await answerOf(worker);
    if (!("operations" in pass)) throw new Error("a thread begins by saying what a pass is");
    const bytes = pass.bytes === undefined ? undefined : pass.bytes / pass.operations;
    const thread = new BenchThread(settings.name, worker, bytes);
    for (const sampleMs of warmUpMs) await thread.sample(sampleMs);
    return thread;
  }

  async sample(sampleMs: number): Promise<Sample> {
    this.#tell({ sampleMs });
    const answer = await answerOf(this.#worker);
    if ("operations" in answer) throw new Error("a thread says only once what a pass is");
    return answer;
  }

  async stop(): Promise<void> {
    const ended = once(this.#worker, "exit");
    this.#tell("end");
    await ended;
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

/** The next message; `once` rejects with the error that ends a thread. */
async function answerOf(worker: Worker): Promise<FromWorker> {
  const [message] = (await once(worker, "message")) as [FromWorker];
  return message;
}
