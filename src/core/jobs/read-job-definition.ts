import { revisionMax } from "./job-definition.ts";
import type { JobDefinition, JobState } from "./job-definition.ts";
import { jobIdOf, validateJobOptions } from "./validate-job-options.ts";

/** Characters of a definition's text, at most: twice 100 patterns of 1,000 characters, most of them escaped. */
export const definitionCharactersMax = 1_500_000;

const states: readonly unknown[] = ["running", "paused", "cancelled"] satisfies JobState[];

/** A definition as text, as it is stored and sent. */
export function writeJobDefinition(definition: JobDefinition): string {
  const { id, revision, stateRevision, state, options } = definition;
  return JSON.stringify({ id, revision, stateRevision, state, options });
}

/**
 * A definition from outside, checked and completed as options of a job are; nothing when the text is none. Never throws: what
 * a reader throws at a text, be it no JSON, a bad option or a nesting too deep for the stack, is the text's fault. Where
 * the changes of the state are not counted apart, all are.
 */
export function readJobDefinition(text: string): JobDefinition | undefined {
  if (text.length > definitionCharactersMax) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== "object" || data === null) return undefined;
    const { id, revision, state, options } = data as Readonly<Record<string, unknown>>;
    const { stateRevision = revision } = data as Readonly<Record<string, unknown>>;
    if (typeof id !== "string" || !isRevision(revision) || !isState(state)) return undefined;
    if (!isRevision(stateRevision)) return undefined;
    const jobId = jobIdOf(id);
    return { id: jobId, revision, stateRevision, state, options: validateJobOptions(options) };
  } catch {
    return undefined;
  }
}

function isRevision(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= revisionMax;
}

function isState(value: unknown): value is JobState {
  return states.includes(value);
}
