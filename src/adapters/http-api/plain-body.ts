import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { BodyFormError } from "./api-error.ts";

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

/** Makes `app` read JSON as it does by itself, but for that which is compressed or in another charset. */
export function readPlainJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, parsed) => {
    const text = isPlainUtf8(request.headers) ? textOf(body) : undefined;
    if (text === undefined) parsed(notPlain());
    else void parse(request, text, parsed);
  });
}

/** Nothing where the bytes are no UTF-8. */
function textOf(body: string | Uint8Array): string | undefined {
  if (typeof body === "string") return body;
  try {
    return utf8.decode(body);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
