import type { FastifySchemaValidationError } from "fastify";
import { RequestError } from "./api-error.ts";

/** Longest piece of a request that a message repeats. */
const shownCharactersMax = 80;

/** Parts of a request, by Fastify's names. */
const partNames: Readonly<Record<string, string>> = {
  body: "the body",
  querystring: "the query",
  params: "the path",
};

/** As Ajv reports it where it is told to be verbose. */
interface SchemaError extends FastifySchemaValidationError {
  readonly data?: unknown;
  readonly parentSchema?: {
    readonly description?: string;
    readonly properties?: Readonly<Record<string, unknown>>;
  };
}

/**
 * What is wrong with a part of a request that its schema refuses, with the names and values that would be taken. Only the
 * first problem: to look for all would cost memory for each element of a list that a stranger sends.
 */
export function schemaProblem(errors: readonly SchemaError[], part: string): RequestError {
  const [first] = errors;
  const whole = partNames[part] ?? part;
  return new RequestError("BAD_REQUEST", first ? problemOf(first, whole) : `${whole} is wrong`);
}

function problemOf(error: SchemaError, whole: string): string {
  const { data, instancePath, keyword, message = "is wrong", params, parentSchema } = error;
  const where = instancePath === "" ? whole : `${shown(instancePath.slice(1))} of ${whole}`;
  if (keyword === "additionalProperties") {
    const known = Object.keys(parentSchema?.properties ?? {}).join(", ");
    return `${where} has an unknown ${shown(params["additionalProperty"])} (known: ${known})`;
  }
  if (keyword === "enum" && Array.isArray(params["allowedValues"])) {
    const allowed = params["allowedValues"].map(shown).join(", ");
    return `${where} must be one of ${allowed}, got ${shown(data)}`;
  }
  if (keyword === "minLength") return `${where} must not be empty`;
  if (keyword === "pattern" && parentSchema?.description !== undefined) {
    return `${where} must be ${parentSchema.description}, got ${shown(data)}`;
  }
  return `${where} ${message}`;
}

/** Names and values of a query: texts. */
function shown(text: unknown): string {
  return JSON.stringify(String(text).slice(0, shownCharactersMax));
}
