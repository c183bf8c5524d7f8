import { hash64 } from "../hash/hash64.ts";
import { revisionMax } from "./job-definition.ts";
import type { JobDefinition, JobState } from "./job-definition.ts";
import { jobIdOf, pagesMaxMax, validateJobOptions } from "./validate-job-options.ts";

/** Characters of a definition's text, at most: twice 100 patterns of 1,000 characters, most of them escaped. */
export const definitionCharactersMax = 1_500_000;

const states: readonly unknown[] = ["running", "paused", "cancelled"] satisfies JobState[];

/** A definition as text, as it is stored and sent. */
export function writeJobDefinition(definition: JobDefinition): string {
  const { id, revision, stateRevision, state, options, limitReached } = definition;
  return JSON.stringify({ id, revision, stateRevision, state, options, limitReached });
}

/** Equal for equal definitions; of none 0, as of those of no job together, which are combined by `^`. */
export function digestOfDefinition(definition: JobDefinition | undefined): bigint {
  return definition ? hash64(writeJobDefinition(definition)) : 0n;
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
    const read = { id: jobIdOf(id), revision, stateRevision, state };
    const definition = { ...read, options: validateJobOptions(options) };
    const { limitReached } = data as Readonly<Record<string, unknown>>;
    if (limitReached === undefined) return definition;
    return isLimit(limitReached) ? { ...definition, limitReached } : undefined;
  } catch {
    return undefined;
  }
}

function isRevision(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= revisionMax;
}

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= pagesMaxMax;
}

function isState(value: unknown): value is JobState {
  return states.includes(value);
}
