import type { FastifyInstance, FastifyPluginCallback } from "fastify";
import type {
  HostStatus,
  MemberReport,
  MemberStats,
  PeerControl,
  PeerStats,
  SwarmJobReport,
  SwarmStats,
} from "../../ports/peer-control.ts";
import { RequestError } from "./api-error.ts";
import type { RouteContext } from "./http-api.ts";
import { sendInPieces } from "./json-pieces.ts";
import { isMarked, markSchema, ownQuery, type OwnQuery, wantsOwn } from "./own-query.ts";

/**
 * The swarm in figures, as `GET /v1/stats` tells it. What is one peer's alone (`peer`, `version`, `upMs`, `archiveFiles`) is
 * that of the asked one; all else is summed over the members that answered.
 */
export interface StatsDocument extends PeerStats {
  readonly jobs: readonly SwarmJobReport[];
  /** Those that answered, the asked one first. */
  readonly members: readonly MemberStats[];
  /** Members that should run and did not answer in time. */
  readonly silent: readonly string[];
}

/** A member, as `GET /v1/members` tells of it. */
export interface MemberDocument extends MemberReport {
  /** What it said of itself a moment ago; absent where it did not answer, or runs no more. */
  readonly stats?: MemberStats;
}

/** That a peer runs, and which. */
export interface HealthDocument {
  readonly status: "ok";
  readonly peer: string;
  readonly pid: number;
  readonly version: string;
  /** Name of its swarm; absent where it crawls alone. */
  readonly swarm?: string;
}

/** The answer to who asks the peer to leave. */
export interface LeaveDocument {
  readonly leaving: true;
  readonly peer: string;
  readonly pid: number;
  /** Whether the others have everything; absent where nobody waited for that, or it is not known. */
  readonly handedOver?: boolean;
}

/** `?wait`: answer when the peer has handed over. */
interface LeaveQuery {
  readonly wait?: string;
}

const leaveQuery = {
  type: "object",
  additionalProperties: false,
  properties: { wait: markSchema },
};

const hostParams = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", maxLength: 255 } },
};

/** Questions about, and commands to, the peer and its swarm as a whole. */
export function peerRoutes(context: RouteContext): FastifyPluginCallback {
  const { control, metrics, stats, swarm, version, leave } = context;
  return (app: FastifyInstance, _options, done) => {
    app.get("/healthz", (): HealthDocument => ({
      status: "ok",
      peer: control.peerId,
      pid: process.pid,
      version,
      ...(swarm !== undefined && { swarm }),
    }));

    app.get<{ Querystring: OwnQuery }>(
      "/stats",
      { schema: { querystring: ownQuery } },
      async ({ query }, reply) => {
        const document: PeerStats | StatsDocument = wantsOwn(query)
          ? control.stats()
          : statsDocument(control, await stats.take());
        return sendInPieces(reply, document);
      },
    );

    app.get("/members", async () => ({
      members: memberDocuments(control, await stats.take()),
    }));

    app.get<{ Params: { readonly name: string } }>(
      "/hosts/:name",
      { schema: { params: hostParams } },
      (request): Promise<HostStatus> => control.host(request.params.name),
    );

    app.post<{ Params: { readonly name: string } }>(
      "/hosts/:name/release",
      { schema: { params: hostParams } },
      (request): Promise<HostStatus> => control.host(request.params.name, "release"),
    );

    app.get("/metrics", async (_request, reply) => {
      if (metrics === undefined) throw new RequestError("NOT_FOUND", "this peer keeps no metrics");
      return reply.header("content-type", metrics.contentType).send(await metrics.text());
    });

    app.post<{ Querystring: LeaveQuery }>(
      "/leave",
      { schema: { querystring: leaveQuery } },
      async ({ query }, reply) => {
        const waits = isMarked(query.wait);
        const handedOver = waits ? await handOver(context) : undefined;
        if (!waits) reply.raw.once("finish", () => void leave());
        const answer: LeaveDocument = {
          leaving: true,
          peer: control.peerId,
          pid: process.pid,
          ...(handedOver !== undefined && { handedOver }),
        };
        return reply.code(202).send(answer);
      },
    );
    done();
  };
}

/** Whether everything was handed over; nothing where that is not known by the time the peer stops for another reason. */
function handOver({ clock, leave, options, stopping }: RouteContext): Promise<boolean | undefined> {
  const otherEnd = clock.sleep(options.silenceMsMax, stopping).then(() => undefined);
  return Promise.race([leave(), otherEnd]);
}

/** @param swarm what all said a moment ago */
export function statsDocument(control: PeerControl, swarm: SwarmStats): StatsDocument {
  const activeHosts = swarm.members.reduce((sum, member) => sum + member.activeHosts, 0);
  return { ...control.stats(), ...swarm, activeHosts };
}

/** @param swarm what all said a moment ago */
export function memberDocuments(
  control: PeerControl,
  { members }: Pick<SwarmStats, "members">,
): MemberDocument[] {
  const said = new Map(members.map((stats) => [stats.peer, stats]));
  return control.members().map((member) => {
    const stats = said.get(member.id);
    return stats === undefined ? member : { ...member, stats };
  });
}
