import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { formatCount } from "../../core/text/human.ts";
import { BodyFormError, RequestError } from "./api-error.ts";
import { hasMoreValues } from "./value-count.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether a body is what it is read as: anything else would be URLs that nobody has named. */
export function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const coding = headers["content-encoding"] ?? "identity";
  const [, charset = "utf-8"] =
    /;\s*charset\s*=\s*"?([^\s";]+)/iu.exec(headers["content-type"] ?? "") ?? [];
  return coding.toLowerCase() === "identity" && /^(?:utf-?8|us-ascii)$/iu.test(charset);
}

/** Why a body is not read that is not {@link isPlainUtf8}. */
export function notPlain(): BodyFormError {
  return new BodyFormError("not plain UTF-8");
}

/**
 * Makes `app` read JSON as it does by itself, but for that which is compressed, in another charset, or of more than `valuesMax`
 * values: nothing else could be done while they are parsed.
 */
export function readPlainJson(app: FastifyInstance, valuesMax: number): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, parsed) => {
    // Bytes, as it asks for; the types know no better.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const text = isPlainUtf8(request.headers) ? textOf(bytes) : undefined;
    if (text === undefined) parsed(notPlain());
    else if (hasMoreValues(bytes, valuesMax)) parsed(tooManyValues(valuesMax));
    else void parse(request, text, parsed);
  });
}

function tooManyValues(max: number): RequestError {
  const problem = `the body has more than ${formatCount(max)} lists, objects, names and values: no request needs so many`;
  return new RequestError("BAD_REQUEST", problem);
}

/** Nothing where the bytes are no UTF-8. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
