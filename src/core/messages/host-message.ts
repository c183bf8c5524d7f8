import {
  robotsVerdictNames,
  type HostChange,
  type HostAnswer,
  type HostQueueLength,
  type HostStatus,
  type OriginRobots,
} from "../answers/host-status.ts";
import { describeReason, isHostHold, isStatusReason } from "../answers/reason-text.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import { isMemberId } from "../membership/read-member.ts";
import type { HostName, Millis } from "../units.ts";
import { decodeJson, encodeJson } from "./json-payload.ts";
import {
  listOf,
  objectOf,
  oneOf,
  readAmount,
  readCount,
  readFlag,
  readMark,
  textOf,
  valueOf,
} from "./read-data.ts";
import { readRefusal, type Refusal } from "./status-message.ts";

/** Jobs, and origins, of one answer. */
export const hostRowsMax = 100;

const moment = textOf(30, /^[\dTZ:.+-]+$/);

/** Asks what is known of a host. */
export interface HostQuestion {
  readonly host: HostName;
  /** Its holder does not answer: what a copy says will do. */
  readonly fromCopy: boolean;
  /** What its holder is to do first. */
  readonly change?: HostChange;
  /** The asker has asked it for a robots.txt, and was told to leave it alone for so long. */
  readonly restMs?: Millis;
}

/** What is known of the host; whoever asked knows which. */
export type KnownHost = Omit<HostStatus, "host" | "detail" | "unreachable"> & {
  /** For how long it is not to be asked: clocks differ, and a time would not travel. */
  readonly opensInMs?: Millis;
};

export function isKnownHost(answer: KnownHost | Refusal): answer is KnownHost {
  return "known" in answer;
}

export function encodeHostQuestion(question: HostQuestion): Uint8Array<ArrayBuffer> {
  return encodeJson(question);
}

const readQuestion = objectOf<
  Pick<HostQuestion, "host" | "fromCopy">,
  Required<Pick<HostQuestion, "change" | "restMs">>
>(
  { host: valueOf(isHostText), fromCopy: readFlag },
  { change: oneOf(["release"]), restMs: readAmount },
);

export function decodeHostQuestion(payload: Uint8Array): HostQuestion | undefined {
  return readQuestion(decodeJson(payload));
}

export function encodeHostReply(reply: KnownHost | Refusal): Uint8Array<ArrayBuffer> {
  return encodeJson(reply);
}

const readHost = objectOf<
  Pick<KnownHost, "owner" | "known" | "queued" | "failuresInRow" | "robots">,
  Required<
    Pick<KnownHost, "replica" | "nextFetchAt" | "opensInMs" | "crawlDelayMs" | "lastFailure">
  >,
  Required<Pick<KnownHost, "hold">>
>(
  {
    owner: valueOf(isMemberId),
    known: readFlag,
    queued: listOf(
      objectOf<HostQueueLength>({ job: valueOf(isJobId), urls: readCount, orMore: readFlag }),
      hostRowsMax,
    ),
    failuresInRow: readCount,
    robots: listOf(
      objectOf<Omit<OriginRobots, "failure">, object, Required<Pick<OriginRobots, "failure">>>(
        {
          origin: textOf(300, /^[\x21-\x7e]+$/),
          verdict: oneOf(robotsVerdictNames),
          httpStatus: readCount,
          fetchedAt: moment,
          expiresAt: moment,
        },
        {},
        { failure: isStatusReason },
      ),
      hostRowsMax,
    ),
  },
  {
    replica: readMark,
    nextFetchAt: moment,
    opensInMs: readAmount,
    crawlDelayMs: readAmount,
    lastFailure: objectOf<
      Pick<HostAnswer, "httpStatus">,
      object,
      Required<Pick<HostAnswer, "failure">>
    >({ httpStatus: readCount }, {}, { failure: isStatusReason }),
  },
  { hold: isHostHold },
);

export function decodeHostReply(payload: Uint8Array): KnownHost | Refusal | undefined {
  const data = decodeJson(payload);
  const known = readHost(data);
  if (known) return known;
  const isKnown = typeof data === "object" && data !== null && "known" in data;
  return isKnown ? undefined : readRefusal(data);
}

/** The status of a host as users see it. */
export function hostStatusOf(host: string, known: KnownHost): HostStatus {
  const { opensInMs, ...told } = known;
  const { hold } = told;
  return { host, ...told, ...(hold && { detail: describeReason(hold) }) };
}

function isHostText(data: unknown): data is HostName {
  return typeof data === "string" && data.length <= 255 && /^[\x21-\x7e]+$/.test(data);
}
