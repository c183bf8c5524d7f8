import type { FastifyInstance, FastifyPluginCallback } from "fastify";
import type { JobId } from "../../core/units.ts";
import type { JobChange, JobReport } from "../../ports/peer-control.ts";
import type { RouteContext } from "./http-api.ts";
import { jobNameSchema } from "./job-options-schema.ts";

const params = {
  type: "object",
  required: ["id"],
  properties: { id: jobNameSchema },
};

const waitQuery = {
  type: "object",
  additionalProperties: false,
  properties: { timeoutMs: { type: "string", pattern: "^\\d{1,9}$" } },
};

interface JobParams {
  readonly id: JobId;
}

const changes = ["pause", "resume", "cancel"] as const satisfies readonly JobChange[];

/** Questions about jobs, and their control. */
export function jobRoutes(context: RouteContext): FastifyPluginCallback {
  const { control } = context;
  return (app: FastifyInstance, _options, done) => {
    app.get("/jobs", () => ({ jobs: control.jobs() }));

    app.get<{ Params: JobParams }>("/jobs/:id", { schema: { params } }, (request) =>
      control.findJob(request.params.id),
    );

    for (const change of changes) {
      app.post<{ Params: JobParams }>(`/jobs/:id/${change}`, { schema: { params } }, (request) =>
        control.changeJob(request.params.id, change),
      );
    }

    app.get<{ Params: JobParams; Querystring: { readonly timeoutMs?: string } }>(
      "/jobs/:id/wait",
      { schema: { params, querystring: waitQuery } },
      (request, reply) => {
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        const asked = Number(request.query.timeoutMs ?? context.options.waitMsMax);
        return jobAtEnd(context, request.params.id, asked, gone);
      },
    );
    done();
  };
}

/** The job as it stands when it is finished, the time is over, the asker is gone or the API stops. */
async function jobAtEnd(
  { control, clock, options, stopping }: RouteContext,
  id: JobId,
  timeoutMs: number,
  gone: AbortController,
): Promise<JobReport> {
  const end = AbortSignal.any([stopping, gone.signal]);
  try {
    await Promise.race([
      control.jobFinished(id, end),
      clock.sleep(Math.min(timeoutMs, options.waitMsMax), end),
    ]);
  } finally {
    gone.abort();
  }
  return control.job(id);
}
