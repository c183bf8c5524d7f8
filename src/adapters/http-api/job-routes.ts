import type { FastifyInstance, FastifyPluginCallback } from "fastify";
import { reportedDefinition } from "../../core/answers/reported-definition.ts";
import type { JobId } from "../../core/units.ts";
import type { JobChange, JobReport, SwarmJobReport } from "../../ports/peer-control.ts";
import { goneOf } from "./gone-of.ts";
import type { RouteContext } from "./http-api.ts";
import { sendInPieces } from "./json-pieces.ts";
import { jobNameSchema } from "./request-schemas.ts";
import { ownQuery, type OwnQuery, wantsOwn } from "./own-query.ts";

/** A job as a question for its end is answered. */
export interface WaitDocument extends SwarmJobReport {
  /**
   * The job is finished, or can go no further because its hosts are halted. False: it goes on, and the time for the answer
   * was up.
   */
  readonly over: boolean;
}

const params = {
  type: "object",
  required: ["id"],
  properties: { id: jobNameSchema },
};

const waitQuery = {
  type: "object",
  additionalProperties: false,
  properties: {
    timeoutMs: {
      type: "string",
      pattern: "^\\d{1,9}$",
      description: "a whole number of at most nine digits",
    },
  },
};

interface JobParams {
  readonly id: JobId;
}

const changes = ["pause", "resume", "cancel"] as const satisfies readonly JobChange[];

/** Questions about jobs, and their control. Totals are those of the whole swarm, unless `?own` is asked for. */
export function jobRoutes(context: RouteContext): FastifyPluginCallback {
  const { control, stats } = context;
  return (app: FastifyInstance, _options, done) => {
    app.get<{ Querystring: OwnQuery }>(
      "/jobs",
      { schema: { querystring: ownQuery } },
      async ({ query }, reply) => {
        const own = wantsOwn(query);
        const jobs: readonly JobReport[] = own ? control.jobs() : (await stats.take()).jobs;
        return sendInPieces(reply, { jobs });
      },
    );

    app.get<{ Params: JobParams; Querystring: OwnQuery }>(
      "/jobs/:id",
      { schema: { params, querystring: ownQuery } },
      async (request): Promise<JobReport> => {
        const own = await control.findJob(request.params.id);
        return wantsOwn(request.query) ? own : swarmReport(context, own);
      },
    );

    for (const change of changes) {
      app.post<{ Params: JobParams }>(
        `/jobs/:id/${change}`,
        { schema: { params } },
        async (request) => swarmReport(context, await control.changeJob(request.params.id, change)),
      );
    }

    // Over within `timeoutMs`, or the time of one full look where that is longer: `waitMsMin`, 1.5 s by default.
    app.get<{ Params: JobParams; Querystring: { readonly timeoutMs?: string } }>(
      "/jobs/:id/wait",
      { schema: { params, querystring: waitQuery } },
      (request, reply) => {
        const asked = Number(request.query.timeoutMs ?? context.options.waitMsMax);
        return jobAtEnd(context, request.params.id, asked, goneOf(reply));
      },
    );
    done();
  };
}

/** The job over all members. */
export async function swarmReport(
  { control, stats }: Pick<RouteContext, "control" | "stats">,
  own: JobReport,
): Promise<SwarmJobReport> {
  const { jobs } = await stats.take();
  const { id } = own.definition;
  const shares = [{ peer: control.peerId, counts: own.counts }];
  return jobs.find(({ definition }) => definition.id === id) ?? { ...own, shares };
}

/** The job as it stands when it is finished, the time is over, the asker is gone or the API stops. */
async function jobAtEnd(
  context: RouteContext,
  id: JobId,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<WaitDocument> {
  const { control, clock, options, stopping } = context;
  const waitMs = Math.min(Math.max(timeoutMs, options.waitMsMin), options.waitMsMax);
  const end = AbortSignal.any([stopping, gone]);
  const waits = [
    control.jobFinished(id, end).then(() => !end.aborted),
    clock.sleep(waitMs, end).then(() => false),
  ];
  const over = await Promise.race(waits);
  const report = await swarmReport(context, control.job(id));
  // All members have agreed that nothing is left; one that has just died does not answer for its figures any more.
  const finished = report.finished || (over && report.counts.queued === 0);
  return { ...report, definition: reportedDefinition(report.definition, finished), finished, over };
}
