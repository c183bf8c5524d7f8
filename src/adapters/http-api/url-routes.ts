import { Readable } from "node:stream";
import type { FastifyInstance, FastifyPluginCallback, FastifyReply } from "fastify";
import { listedStates, parseHttpFilter } from "../../core/answers/url-list.ts";
import { defaultJob, type JobOptions } from "../../core/jobs/job-definition.ts";
import { jobIdOf, validateJobOptions } from "../../core/jobs/validate-job-options.ts";
import type { JobId } from "../../core/units.ts";
import { injectUrlsMax, rejectedNamedMax, statusUrlsMax } from "../../ports/peer-control.ts";
import type { InjectReport, ListedState, UrlFilter } from "../../ports/peer-control.ts";
import { RequestError } from "./api-error.ts";
import { contentHeaders, headDocument } from "./content-headers.ts";
import { ContentPlaces } from "./content-places.ts";
import { dropRest } from "./drop-rest.ts";
import { goneOf } from "./gone-of.ts";
import type { RouteContext } from "./http-api.ts";
import { isMarked, markSchema } from "./own-query.ts";
import { isPlainUtf8, notPlain } from "./plain-body.ts";
import { jobNameSchema, urlSchema } from "./request-schemas.ts";
import { urlBatches, type LineFormat } from "./url-lines.ts";

const url = urlSchema;
const job = jobNameSchema;

const injectBody = {
  type: "object",
  additionalProperties: false,
  required: ["job", "urls"],
  properties: {
    job,
    urls: { type: "array", maxItems: injectUrlsMax, items: url },
    // Which there are, and their bounds, `validateJobOptions` alone knows; it names all problems.
    options: { type: "object" },
  },
};

const statusBody = {
  type: "object",
  additionalProperties: false,
  required: ["urls"],
  properties: { job, urls: { type: "array", maxItems: statusUrlsMax, items: url } },
};

const urlQuery = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: { url, job },
};

const listQuery = {
  type: "object",
  additionalProperties: false,
  required: ["job"],
  properties: {
    job,
    state: { type: "string", enum: listedStates },
    http: { type: "string", maxLength: 3 },
    broken: markSchema,
    from: { type: "string", maxLength: 200 },
  },
};

const jobQuery = {
  type: "object",
  additionalProperties: false,
  properties: { job },
};

interface InjectBody {
  readonly job: string;
  readonly urls: readonly string[];
  readonly options?: Partial<JobOptions>;
}

interface UrlQuery {
  readonly url: string;
  readonly job?: JobId;
}

interface ListQuery {
  readonly job: string;
  readonly state?: ListedState;
  /** As {@link parseHttpFilter} reads it. */
  readonly http?: string;
  readonly broken?: string;
  readonly from?: string;
}

/** Questions about URLs, and their injection. */
export function urlRoutes(context: RouteContext): FastifyPluginCallback {
  const { control } = context;
  const contentPlaces = new ContentPlaces(context.options.contentsMax);
  return (app: FastifyInstance, _options, done) => {
    app.addContentTypeParser(lineTypes, ({ headers }, payload, parsed) =>
      isPlainUtf8(headers) ? parsed(null, payload) : parsed(notPlain()),
    );
    app.post<{ Body: InjectBody | Readable | undefined; Querystring: { readonly job?: string } }>(
      "/inject",
      {
        schema: {
          body: { content: { "application/json": { schema: injectBody } } },
          querystring: jobQuery,
        },
      },
      async ({ body, headers, query }, reply) =>
        body instanceof Readable
          ? readToEnd(context, body, reply, (source) =>
              injectStream(context, source, lineFormat(headers["content-type"]), query.job),
            )
          : injectList(context, body, query.job),
    );

    app.post<{ Body: { readonly urls: readonly string[]; readonly job?: JobId } }>(
      "/status",
      { schema: { body: statusBody } },
      async ({ body }) => ({ urls: await control.status(body.urls, body.job) }),
    );

    app.get<{ Querystring: UrlQuery }>(
      "/status",
      { schema: { querystring: urlQuery } },
      async ({ query }) => (await control.status([query.url], query.job))[0],
    );

    app.get<{ Querystring: ListQuery }>(
      "/urls",
      { schema: { querystring: listQuery } },
      ({ query }, reply) =>
        control.urls(jobIdOf(query.job), filterOf(query), query.from, goneOf(reply)),
    );

    app.get<{ Querystring: UrlQuery }>(
      "/content",
      { schema: { querystring: urlQuery } },
      async ({ query }, reply) => {
        const over = goneOf(reply);
        await contentPlaces.take(over);
        const archived = await control.content(query.url, query.job, over);
        return reply.headers(contentHeaders(archived)).send(Buffer.from(archived.body));
      },
    );

    app.get<{ Querystring: UrlQuery }>(
      "/content/head",
      { schema: { querystring: urlQuery } },
      async ({ query }, reply) =>
        headDocument(await control.content(query.url, query.job, goneOf(reply))),
    );

    done();
  };
}

function filterOf({ broken, http, state }: ListQuery): UrlFilter {
  const status = http === undefined ? undefined : parseHttpFilter(http);
  if (http !== undefined && status === undefined) {
    const problem = "http has to be a status such as 404, or a class of them such as 4xx";
    throw new RequestError("BAD_REQUEST", problem);
  }
  return {
    ...(state && { state }),
    ...(status !== undefined && { http: status }),
    ...(isMarked(broken) && { broken: true }),
  };
}

const lineTypes = ["text/plain", "application/x-ndjson"];

function lineFormat(contentType: string | undefined): LineFormat {
  return contentType?.toLowerCase().startsWith("text/plain") === true ? "text" : "ndjson";
}

/**
 * A body of no content type is checked by no schema: there is one for each type.
 *
 * @param named the job that the query names: it is for lines, which cannot name one
 */
function injectList(
  { control }: RouteContext,
  body: InjectBody | undefined,
  named: string | undefined,
): Promise<InjectReport> {
  if (body === undefined) throw new RequestError("BAD_REQUEST", "a body with the URLs is expected");
  if (named !== undefined && named !== body.job) {
    const problem = `the query names job ${JSON.stringify(named)}, and the body ${JSON.stringify(body.job)}; name it in the body alone`;
    throw new RequestError("BAD_REQUEST", problem);
  }
  if (body.options !== undefined) validateJobOptions(body.options);
  return control.inject(jobIdOf(body.job), body.urls, body.options);
}

/** Has `body` read by `read`; where that fails, the rest is dropped, so that the client comes to read the answer. */
async function readToEnd<T>(
  { clock, options }: RouteContext,
  body: Readable,
  { raw }: FastifyReply,
  read: (source: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    return await read(body.iterator({ destroyOnReturn: false }));
  } catch (error) {
    // Who goes on for hours is answered at once. A connection that ends with the answer is read before that is sent.
    if (raw.shouldKeepAlive) void dropRest(body, clock, options).then(() => body.destroy());
    throw error;
  }
}

/** Injects a file of URLs of any length, in the memory of one batch. */
async function injectStream(
  { control, options }: RouteContext,
  source: AsyncIterable<Uint8Array>,
  format: LineFormat,
  name: string = defaultJob,
): Promise<InjectReport> {
  const job = jobIdOf(name);
  let total = emptyReport(job);
  for await (const urls of urlBatches(source, format, options.injectBatchMax)) {
    total = sum(total, await control.inject(job, urls));
  }
  return total;
}

function emptyReport(id: JobId): InjectReport {
  return { job: id, added: 0, known: 0, rejected: [], rejectedCount: 0 };
}

function sum(a: InjectReport, b: InjectReport): InjectReport {
  return {
    job: a.job,
    added: a.added + b.added,
    known: a.known + b.known,
    rejected: [...a.rejected, ...b.rejected].slice(0, rejectedNamedMax),
    rejectedCount: a.rejectedCount + b.rejectedCount,
  };
}
