import type { FastifyPluginCallback } from "fastify";
import type { RouteContext } from "./http-api.ts";
import { memberDocuments, statsDocument } from "./peer-routes.ts";
import type { MemberDocument, StatsDocument } from "./peer-routes.ts";

/** The swarm as a page for people, without scripts. */
export interface SwarmPage {
  /** Sources that it is made of, as a Content-Security-Policy says it. */
  readonly policy: string;
  /** The whole document, in which nothing of what peers said is markup. */
  render(stats: StatsDocument, members: readonly MemberDocument[]): string;
}

/** `GET /`: no part of the API, so without its version. */
export function pageRoute({ control, page }: RouteContext): FastifyPluginCallback {
  return (app, _options, done) => {
    if (page !== undefined) {
      app.get("/", async (_request, reply) => {
        const swarm = await control.swarmStats();
        const members = memberDocuments(control, swarm);
        return reply
          .headers({
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": page.policy,
            "cache-control": "no-store",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
          })
          .send(page.render(statsDocument(control, swarm), members));
      });
    }
    done();
  };
}
