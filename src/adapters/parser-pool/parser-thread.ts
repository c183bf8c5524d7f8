import { Worker } from "node:worker_threads";
import { CrawlError, errorText, type ErrorDetails } from "../../core/errors.ts";
import type { JobDefinition, JobOptions } from "../../core/jobs/job-definition.ts";
import type { Millis } from "../../core/units.ts";
import type { JudgeRequest, ParseRequest } from "../../ports/page-parser.ts";
import {
  knownJobsMax,
  type FromThread,
  type ParsePage,
  type ThreadAnswer,
  type ThreadSettings,
  type ToThread,
} from "./thread-messages.ts";

export interface ParserThreadOptions {
  readonly botName: string;
  readonly gzipLevel: number;
  readonly pageMsMax: Millis;
  readonly heapMbMax: number;
  /** What a thread runs; replaced in tests of threads that do not start. @default the build's */
  readonly entry?: URL;
}

/** A page to parse, or URLs to judge, and whoever waits for that. */
export interface WaitingTask {
  readonly request: ParseRequest | JudgeRequest;
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: CrawlError) => void;
}

/** So long may a thread take to end by itself, from when it is loaded. */
const endMsMax: Millis = 1_000;

/** Threads that end before they are loaded, one after the other, until no task waits for the next. */
const failedStartsMax = 3;

/** What a slow and busy core compresses, which a page's time is longer for. */
const bytesPerMs = 10_000;

/**
 * The build's, also where this file itself runs from source: to read TypeScript, Node.js loads a WebAssembly program into each
 * thread, which makes its start five times as long.
 */
const builtEntry = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/parser-thread.js" : "./parser-thread.js",
  import.meta.url,
);

/**
 * One thread with the tasks that it has been given, replaced whenever it breaks.
 *
 * Tasks are copied to the thread, not moved: those that wait behind one that breaks it go on to its successor. Which one
 * that is, only a thread that has had no other tells for sure: one that has may end of what the task before left behind.
 * So the task on which such a thread ends is tried once more, by a new one. One that ends before it is loaded has had no task
 * at all: where that goes on, its tasks are rejected without details, since none of them is at fault.
 *
 * Invariant: the first task in `#tasks` is the one that the thread works on; answers come in that order.
 */
export class ParserThread {
  readonly #options: ParserThreadOptions;
  readonly #tasks: WaitingTask[] = [];
  /** Those of them that the thread is still to be sent, with all others of this turn. */
  #unsent: WaitingTask[] = [];
  /**
   * Keys of the jobs that the thread knows, by their options, the one used last at the end. A revision does not tell options
   * apart: two members may change a job at once.
   */
  readonly #jobs = new Map<JobOptions, string>();
  #jobsLearnt = 0;
  #worker: Worker | undefined;
  #ready = false;
  /** It has answered a task. */
  #isUsed = false;
  /** Since a thread was ready last. */
  #failedStarts = 0;
  #watch: NodeJS.Timeout | undefined;
  /** Resolves when all threads that were given up have ended. */
  #ended: Promise<unknown> = Promise.resolve();
  #isReplacing = false;

  constructor(options: ParserThreadOptions) {
    this.#options = options;
  }

  /** Tasks under way here. */
  get load(): number {
    return this.#tasks.length;
  }

  /** Starts the thread ahead of its first task; rejects with `PARSER_CRASHED` if it cannot run at all. */
  async start(): Promise<void> {
    const worker = this.#worker ?? this.#spawn();
    if (this.#ready) return;
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => {
        if (worker === this.#worker) resolve();
        else reject(crashed("the parser was stopped"));
      });
      worker.once("error", (cause) => reject(notStarted(cause)));
      worker.once("exit", () => reject(notStarted()));
    });
  }

  add(task: WaitingTask): void {
    this.#tasks.push(task);
    this.#unsent.push(task);
    if (this.#worker === undefined) this.#replace();
    else if (this.#unsent.length === 1) setImmediate(() => this.#sendAll());
    if (this.#tasks.length === 1) this.#watchFirst();
  }

  /** Ends the thread and rejects its tasks. */
  async stop(): Promise<void> {
    this.#rejectAll("the parser was stopped");
    const isLoaded = this.#ready;
    this.#release((worker) => end(worker, isLoaded));
    await this.#ended;
  }

  /** Throws `PARSER_CRASHED` where the system has no thread to give. */
  #spawn(): Worker {
    const worker = newWorker(this.#options);
    let failure: unknown;
    worker.on("message", (message: FromThread) => this.#onMessage(worker, message));
    worker.on("error", (error: unknown) => {
      failure = error;
    });
    worker.on("exit", () => this.#onExit(worker, failure));
    this.#worker = worker;
    this.#unsent = [...this.#tasks];
    this.#sendAll();
    return worker;
  }

  /** One message for many pages: each one wakes a thread that is quicker than its pages come. */
  #sendAll(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    let pages: ParsePage[] = [];
    const flush = (): void => {
      if (pages.length > 0) post(worker, { kind: "parse-pages", pages });
      pages = [];
    };
    for (const { request } of this.#unsent.splice(0)) {
      const jobKey = this.#learn(worker, request.job, flush);
      if ("exchange" in request) pages.push(messageOf(request, jobKey));
      else {
        flush();
        const { job: _, ...asked } = request;
        post(worker, { kind: "judge-urls", jobKey, ...asked });
      }
    }
    flush();
  }

  /** @param flush sends the pages that need the jobs as they are */
  #learn(worker: Worker, definition: JobDefinition, flush: () => void): string {
    const { options } = definition;
    const known = this.#jobs.get(options);
    const key = known ?? String(this.#jobsLearnt++);
    if (known === undefined) {
      flush();
      this.#forgetOldest(worker);
      post(worker, { kind: "learn-job", key, definition });
    }
    this.#jobs.delete(options);
    this.#jobs.set(options, key);
    return key;
  }

  #forgetOldest(worker: Worker): void {
    const [oldest] = this.#jobs;
    if (oldest === undefined || this.#jobs.size < knownJobsMax) return;
    const [options, key] = oldest;
    this.#jobs.delete(options);
    post(worker, { kind: "forget-job", key });
  }

  #onMessage(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker) return;
    if (message.kind === "ready") {
      this.#ready = true;
      this.#failedStarts = 0;
    } else {
      this.#isUsed = true;
      this.#tasks.shift()?.resolve(message);
    }
    this.#watchFirst();
  }

  #onExit(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    if (!this.#ready) this.#onFailedStart(cause);
    else if (!this.#isUsed) this.#blameFirst("the parser thread ended on it", cause);
    this.#giveUp();
  }

  #onFailedStart(cause: unknown): void {
    this.#failedStarts += 1;
    if (this.#failedStarts < failedStartsMax) return;
    this.#rejectAll(`the parser threads cannot be started${inBrackets(cause)}`, cause);
  }

  /** Gives the first task its time, from when it is first and the thread can work on it. */
  #watchFirst(): void {
    clearTimeout(this.#watch);
    const first = this.#tasks[0];
    if (first === undefined || !this.#ready) return;
    const msMax = this.#options.pageMsMax + Math.floor(bytesOf(first) / bytesPerMs);
    this.#watch = setTimeout(() => {
      // When this thread itself was held up, the answer may be waiting: it comes in before the immediate.
      setImmediate(() => {
        if (first !== this.#tasks[0] || this.#worker === undefined) return;
        this.#blameFirst(`it took more than ${msMax} ms`);
        this.#giveUp();
      });
    }, msMax);
  }

  #blameFirst(reason: string, cause?: unknown): void {
    const broken = this.#tasks.shift();
    broken?.reject(crashed(reason, cause, detailsOf(broken)));
  }

  #rejectAll(reason: string, cause?: unknown): void {
    this.#unsent = [];
    for (const task of this.#tasks.splice(0)) task.reject(crashed(reason, cause));
  }

  /** Ends the thread; the tasks that are left go to another. */
  #giveUp(): void {
    this.#release((thread) => thread.terminate());
    if (this.#tasks.length > 0) this.#replace();
  }

  /** When the last thread has ended: Node.js may crash where one starts while another is terminated (nodejs/node#56312). */
  #replace(): void {
    if (this.#isReplacing) return;
    this.#isReplacing = true;
    void this.#ended.then(() => {
      this.#isReplacing = false;
      if (this.#tasks.length > 0) this.#respawn();
    });
  }

  #respawn(): void {
    try {
      this.#spawn();
    } catch (cause) {
      this.#onFailedStart(cause);
      if (this.#tasks.length > 0) this.#replace();
    }
  }

  #release(end: (worker: Worker) => Promise<unknown>): void {
    clearTimeout(this.#watch);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    this.#ready = false;
    this.#isUsed = false;
    this.#jobs.clear();
    this.#ended = Promise.all([this.#ended, end(worker)]);
  }
}

function newWorker({ botName, gzipLevel, heapMbMax, entry }: ParserThreadOptions): Worker {
  try {
    return new Worker(entry ?? builtEntry, {
      name: "orbweaver-parser",
      workerData: { botName, gzipLevel } satisfies ThreadSettings,
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    });
  } catch (cause) {
    throw notStarted(cause);
  }
}

/**
 * Lets a thread end by itself, and ends it when it does not: Node.js 24 aborts the whole process when a thread is terminated
 * while it loads its modules, or at the moment in which it opens a compressor.
 */
async function end(worker: Worker, isLoaded: boolean): Promise<void> {
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  let overdue: NodeJS.Timeout | undefined;
  const giveTime = (): void => {
    overdue = setTimeout(() => void worker.terminate(), endMsMax);
  };
  if (isLoaded) giveTime();
  // The first thing that it says.
  else worker.once("message", giveTime);
  post(worker, { kind: "end" });
  await exited;
  clearTimeout(overdue);
}

function bytesOf({ request }: WaitingTask): number {
  if (!("exchange" in request)) return 0;
  return Math.max(request.body.length, request.exchange.encodedBody.length);
}

/** What is at fault. */
function detailsOf({ request }: WaitingTask): ErrorDetails {
  return "exchange" in request ? { url: request.exchange.url } : { job: request.job.id };
}

function messageOf(request: ParseRequest, jobKey: string): ParsePage {
  const { exchange, job: _, ...others } = request;
  const body = wholeBuffer(request.body);
  // The copy keeps it one array where the two were one.
  const encodedBody =
    exchange.encodedBody === request.body ? body : wholeBuffer(exchange.encodedBody);
  return {
    jobKey,
    ...others,
    exchange: { ...exchange, encodedBody },
    body,
  };
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

/** A view is sent with all of its buffer, which for a small one may be shared with strangers. */
function wholeBuffer(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** With the system's reason, which may be that there is no file or no memory for one. */
function notStarted(cause?: unknown): CrawlError {
  return crashed(`the parser thread did not start${inBrackets(cause)}`, cause);
}

function inBrackets(cause: unknown): string {
  return cause === undefined ? "" : ` (${errorText(cause)})`;
}

function crashed(reason: string, cause?: unknown, details: ErrorDetails = {}): CrawlError {
  return new CrawlError("PARSER_CRASHED", reason, details, { cause });
}
