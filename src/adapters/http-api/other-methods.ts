import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "./api-error.ts";

/**
 * Answers 405 to the methods that a path does not have. Watches the routes that are added to `app` from here on; what it
 * returns is registered after the last of them.
 */
export function otherMethods(app: FastifyInstance): FastifyPluginCallback {
  const methodsOf = new Map<string, readonly string[]>();
  app.addHook("onRoute", ({ method, url }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  return (after, _options, done) => {
    for (const [url, allowed] of [...methodsOf]) {
      const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
        const problem = `${request.method} is not for this path, which takes ${allowed.join(", ")}`;
        const { status, body } = failure("METHOD_NOT_ALLOWED", problem);
        return reply.code(status).header("allow", allowed.join(", ")).send(body);
      };
      const method = after.supportedMethods.filter((one) => !allowed.includes(one));
      // Before the body: it is of no interest what it is.
      after.route({
        method,
        url,
        onRequest: (request, reply) => void refuse(request, reply),
        handler: refuse,
      });
    }
    done();
  };
}
