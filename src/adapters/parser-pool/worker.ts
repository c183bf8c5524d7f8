import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../core/errors.ts";
import { judgeUrls } from "../../core/jobs/job-rules.ts";
import { PageEncoder, prepareJob, type PreparedJob } from "./page-encoder.ts";
import {
  knownJobsMax,
  type FromThread,
  type JudgeUrls,
  type ParsePage,
  type ThreadSettings,
  type ToThread,
} from "./thread-messages.ts";

/**
 * Entry of a parser thread.
 *
 * Nothing is caught here: whatever breaks ends the thread, and the pool gives the task its answer and the other tasks a
 * new thread.
 */

/** From this size on, moving the archive record to the main thread is cheaper than copying it there. */
const movedBytesMin = 32 * 1_024;

const port = parentPort;
invariant(port !== null, "worker.ts runs as a thread of the parser pool");

const encoder = new PageEncoder(workerData as ThreadSettings);
const jobs = new Map<string, PreparedJob>();

function answer(message: FromThread, moved: ArrayBuffer[] = []): void {
  port?.postMessage(message, moved);
}

function jobOf({ jobKey }: { readonly jobKey: string }): PreparedJob {
  const job = jobs.get(jobKey);
  invariant(job !== undefined, "a task comes after its job");
  return job;
}

function parse(message: ParsePage): void {
  const page = encoder.encode({ ...message, job: jobOf(message) });
  const { buffer } = page.capture.bytes;
  answer({ kind: "parsed", page }, buffer.byteLength >= movedBytesMin ? [buffer] : []);
}

function judge(message: JudgeUrls): void {
  const { rules } = jobOf(message);
  answer({ kind: "judged", reasons: judgeUrls(rules, message) });
}

const handle = (message: ToThread): void => {
  switch (message.kind) {
    case "learn-job":
      invariant(jobs.size < knownJobsMax, "the pool has a job forgotten before it sends one more");
      jobs.set(message.key, prepareJob(message.definition));
      break;
    case "forget-job":
      jobs.delete(message.key);
      break;
    case "parse-pages":
      for (const page of message.pages) parse(page);
      break;
    case "judge-urls":
      judge(message);
      break;
    case "end":
      port.close();
      break;
  }
};

// In a turn of its own, when all modules are done: from here on the thread may be terminated (see parser-thread.ts). Before any
// task, so that no task is to blame where this is not said.
setImmediate(() => {
  answer({ kind: "ready" });
  port.on("message", handle);
});
