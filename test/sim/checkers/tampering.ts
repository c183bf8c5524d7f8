import { opsOf } from "../../../sim/world/virtual-store.ts";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import type { Tampering } from "../../../sim/scenarios/virtual-swarm.ts";
import type { JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import { decodeClaim, encodeClaim } from "../../../src/core/messages/claim.ts";
import { decodeForward, encodeForwardReply } from "../../../src/core/messages/forward.ts";
import { decodeJobs, encodeJobs } from "../../../src/core/messages/jobs.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { decodePullRows, encodePullRowsReply } from "../../../src/core/messages/reconciliation.ts";
import { decodeRows, encodeRows, type Row } from "../../../src/core/messages/rows.ts";
import { tagOf, type KeyTag } from "../../../src/core/record/key-tags.ts";
import type { Archive } from "../../../src/ports/archive.ts";
import type { FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import type { Overlay, OverlayOutcome, OverlayRequest } from "../../../src/ports/overlay.ts";
import type { Store, StoreOp } from "../../../src/ports/store.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";

/** About when virtual time begins. */
const startMs = Date.UTC(2030, 0, 1);

/** Requests are not withdrawn here: their senders wait for the time-out. */
const never = new AbortController().signal;

export type Send = () => Promise<OverlayOutcome>;

/** Breaks what a peer sends to others. */
function sending(
  change: (asked: OverlayRequest, send: Overlay["request"]) => Promise<OverlayOutcome>,
): Tampering {
  return {
    ports: (ports) => {
      const { overlay } = ports;
      if (overlay === undefined) return ports;
      const request: Overlay["request"] = (asked, signal) =>
        change(asked, (other) => overlay.request(other, signal));
      return { ...ports, overlay: overlayWith(overlay, { request }) };
    },
  };
}

/** Breaks requests of one kind only. */
export function sendingOf(
  kind: keyof typeof messageKinds,
  change: (asked: OverlayRequest, send: Send) => Promise<OverlayOutcome>,
): Tampering {
  return sending((asked, send) =>
    asked.kind === messageKinds[kind]
      ? change(asked, () => send(asked, never))
      : send(asked, never),
  );
}

export function reply(payload: Uint8Array = new Uint8Array(0)): Promise<OverlayOutcome> {
  return Promise.resolve({ kind: "reply", payload });
}

/** Breaks what the web answers to a peer. */
export function fetching(
  change: (
    request: FetchRequest,
    fetch: (request: FetchRequest) => Promise<FetchOutcome>,
  ) => Promise<FetchOutcome>,
): (ports: PeerPorts) => PeerPorts {
  return ({ fetcher, ...others }) => ({
    ...others,
    fetcher: {
      fetch: (request, signal) => change(request, (asked) => fetcher.fetch(asked, signal)),
      stop: () => fetcher.stop(),
    },
  });
}

/** Breaks what a peer writes to its disk. */
export function writing(
  given: PeerPorts,
  change: (ops: readonly StoreOp[]) => readonly StoreOp[],
): PeerPorts {
  const { store } = given;
  return storeWith(given, async (changes, options) => store.write(change(opsOf(changes)), options));
}

/** The ports, but for how the store writes. */
export function storeWith(given: PeerPorts, write: Store["write"]): PeerPorts {
  const { store } = given;
  return {
    ...given,
    store: {
      start: () => store.start(),
      stop: () => store.stop(),
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      hasMany: (keys) => store.hasMany(keys),
      range: (range, limit) => store.range(range, limit),
      scan: (range) => store.scan(range),
      batch: () => store.batch(),
      write,
    },
  };
}

/** The archive, but for how it takes in a capture. */
export function archiveWith(archive: Archive, append: Archive["append"]): Archive {
  return {
    start: (mark) => archive.start(mark),
    stop: (isCommitted) => archive.stop(isCommitted),
    get full() {
      return archive.full;
    },
    append,
    flush: () => archive.flush(),
    read: (location) => archive.read(location),
    has: (location) => archive.has(location),
    files: () => archive.files(),
  };
}

/** Nobody gets rows of that kind from others: neither sent nor on request. */
export function withoutRows(tag: KeyTag): Tampering {
  const isKept = ({ key }: Row): boolean => tagOf(key) !== tag;
  return sending(async (asked, send) => {
    if (asked.kind === messageKinds.rows) {
      const message = decodeRows(asked.payload);
      const kept = message && encodeRows({ ...message, rows: message.rows.filter(isKept) });
      return send({ ...asked, payload: kept ?? asked.payload }, never);
    }
    const span = asked.kind === messageKinds.pullRows && decodePullRows(asked.payload);
    if (!span || span.tag !== tag) return send(asked, never);
    const found = new Uint8Array(0);
    return reply(encodePullRowsReply({ nowMs: startMs, rows: [], more: false, found }));
  });
}

/** Nobody hears that a job's state was changed: neither when it is, nor when definitions are compared. */
export function keepingStatesBack(): Tampering {
  const asMade = (definition: JobDefinition): JobDefinition => ({
    ...definition,
    state: "running",
    stateRevision: 1,
  });
  const made = (payload: Uint8Array): Uint8Array => {
    const news = decodeJobs(payload);
    return news ? encodeJobs({ ...news, definitions: news.definitions.map(asMade) }) : payload;
  };
  const { ports } = sending(async (asked, send) => {
    if (asked.kind !== messageKinds.jobs) return send(asked, never);
    const outcome = await send({ ...asked, payload: made(asked.payload) }, never);
    return outcome.kind === "reply" ? reply(made(outcome.payload)) : outcome;
  });
  return {
    ports: (given, machine) => {
      const broken = ports?.(given, machine) ?? given;
      const { overlay } = broken;
      if (overlay === undefined) return broken;
      const publish: Overlay["publish"] = (payload) => {
        const claim = decodeClaim(payload, Infinity);
        const isOfJob = claim !== undefined && "jobDefinition" in claim;
        const told = isOfJob
          ? encodeClaim({ jobDefinition: asMade(claim.jobDefinition) })
          : payload;
        overlay.publish(told);
      };
      return { ...broken, overlay: overlayWith(overlay, { publish }) };
    },
  };
}

/** Messages with forwarded URLs of such a depth are acknowledged, and go nowhere. */
export function losing(isLost: (depth: number) => boolean): Tampering {
  return sendingOf("forward", (asked, send) => {
    const entries = decodeForward(asked.payload) ?? [];
    if (!entries.some((entry) => entry !== "rejected" && isLost(entry.depth))) return send();
    return reply(encodeForwardReply(entries.map(() => "new")));
  });
}
