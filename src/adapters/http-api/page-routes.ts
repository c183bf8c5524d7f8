import type { FastifyError, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import type { JobId } from "../../core/units.ts";
import type { SwarmJobReport, UrlStatus } from "../../ports/peer-control.ts";
import type { ApiFailure } from "./api-error.ts";
import type { RouteContext } from "./http-api.ts";
import { jobNameSchema, urlSchema } from "./request-schemas.ts";
import { swarmReport } from "./job-routes.ts";
import { memberDocuments, statsDocument } from "./peer-routes.ts";
import type { MemberDocument, StatsDocument } from "./peer-routes.ts";

/**
 * The swarm for people, without scripts: whole documents of HTML, in which nothing that peers or the web said is markup.
 */
export interface SwarmPages {
  /** Sources that they are made of, as a Content-Security-Policy says it. */
  readonly policy: string;
  /** What it does at present. */
  swarm(stats: StatsDocument, members: readonly MemberDocument[]): string;
  job(report: SwarmJobReport): string;
  /** What it knows of a URL, or a form that asks for one. */
  url(asked?: string, status?: UrlStatus): string;
  /** Why it cannot show what was asked for. */
  failure(problem: string): string;
}

/** What the pages are made from. */
interface PageContext extends Pick<RouteContext, "control" | "stats"> {
  /** What a request that failed is answered with. */
  readonly judged: (error: FastifyError, request: FastifyRequest) => ApiFailure;
}

const jobQuery = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: { id: jobNameSchema },
};

const urlQuery = {
  type: "object",
  additionalProperties: false,
  properties: { url: urlSchema },
};

/** What a browser is shown: no part of the API, so without its version. */
export function pageRoutes(context: PageContext, pages: SwarmPages): FastifyPluginCallback {
  const { control, judged, stats } = context;
  const send = (reply: FastifyReply, html: string): FastifyReply =>
    reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": pages.policy,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      })
      .send(html);

  return (app, _options, done) => {
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, body } = judged(error, request);
      return send(reply.code(status), pages.failure(body.error.message));
    });

    app.get("/", async (_request, reply) => {
      const swarm = await stats.take();
      const members = memberDocuments(control, swarm);
      return send(reply, pages.swarm(statsDocument(control, swarm), members));
    });

    app.get<{ Querystring: { readonly id: JobId } }>(
      "/job",
      { schema: { querystring: jobQuery } },
      async ({ query }, reply) => {
        const own = await control.findJob(query.id);
        return send(reply, pages.job(await swarmReport(context, own)));
      },
    );

    app.get<{ Querystring: { readonly url?: string } }>(
      "/url",
      { schema: { querystring: urlQuery } },
      async ({ query: { url } }, reply) => {
        if (url === undefined) return send(reply, pages.url());
        const [status] = await control.status([url]);
        return send(reply, pages.url(url, status));
      },
    );
    done();
  };
}
