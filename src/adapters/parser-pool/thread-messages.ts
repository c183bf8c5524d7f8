import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import type { JudgeRequest, ParsedPage, ParseRequest } from "../../ports/page-parser.ts";

/** What a thread is started with. */
export interface ThreadSettings {
  readonly gzipLevel: number;
  readonly botName: string;
}

/** Jobs that a thread knows at a time; the one unused for longest is forgotten. */
export const knownJobsMax = 64;

/** Messages to a thread; it handles them in order. */
export type ToThread = LearnJob | ForgetJob | ParsePages | JudgeUrls | EndThread;

/** A job that later messages refer to by its key: its rules are compiled once, and are not sent with every page. */
export interface LearnJob {
  readonly kind: "learn-job";
  readonly key: string;
  readonly definition: JobDefinition;
}

export interface ForgetJob {
  readonly kind: "forget-job";
  readonly key: string;
}

/** Pages in the order in which they are answered, one by one. */
export interface ParsePages {
  readonly kind: "parse-pages";
  readonly pages: readonly ParsePage[];
}

export interface ParsePage extends Omit<ParseRequest, "job"> {
  readonly jobKey: string;
}

export interface JudgeUrls extends Omit<JudgeRequest, "job"> {
  readonly kind: "judge-urls";
  readonly jobKey: string;
}

/** The last message: the thread ends by itself when it has handled those before. */
export interface EndThread {
  readonly kind: "end";
}

/** Messages from a thread: `ready` once, then one answer for each task, in the order of the tasks. */
export type FromThread = { readonly kind: "ready" } | ThreadAnswer;

/** What came of a task: of a page, or of URLs. */
export type ThreadAnswer =
  | { readonly kind: "parsed"; readonly page: ParsedPage }
  | { readonly kind: "judged"; readonly reasons: readonly (ExclusionReason | undefined)[] };
