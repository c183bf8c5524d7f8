import { describeReason, describeUnasked, isStatusReason } from "../answers/reason-text.ts";
import type { UrlStatus } from "../answers/url-status.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import { isMemberId } from "../membership/read-member.ts";
import type { CanonicalUrl, JobId, MemberId } from "../units.ts";
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
  type Read,
} from "./read-data.ts";
import { readPlace } from "./content-message.ts";
import { isUrlText } from "./read-payload.ts";

/** URLs of one question, at most. */
export const askedUrlsMax = 300;

/** Characters of a question's URLs, at most: far below a message's bytes. */
export const askedCharactersMax = 512 * 1_024;

/** Characters of a reply, at most: at three bytes each it fits a message. */
const replyCharactersMax = 1_250_000;

/** Longer texts (a content type may have as many characters as a response's head) are cut. */
const textCharactersMax = 1_000;

/** A redirect's target: no longer than a URL that anybody would admit. */
const targetCharactersMax = 16_384;

/** Asks what is known of URLs. */
export interface StatusQuestion {
  /** Canonical by the word of the one who asks. */
  readonly urls: readonly CanonicalUrl[];
  /** Absent: whatever job knows most. */
  readonly job?: JobId;
  /** Their holder does not answer: what a copy says will do. */
  readonly fromCopy: boolean;
}

/** What is known of one URL; whoever asked knows which. */
export type KnownStatus = Omit<UrlStatus, "url" | "detail">;

/** No answer: another member holds the site, perhaps this one; or there was no room for the answer. */
export interface Refusal {
  readonly holder?: MemberId;
}

export interface StatusReply {
  /** Jobs that were looked through: fewer than the asker knows may mean that something was missed. */
  readonly jobs: number;
  /** In the order of the question's URLs. */
  readonly answers: readonly (KnownStatus | Refusal)[];
}

export function isRefusal(answer: object): answer is Refusal {
  return !("state" in answer);
}

export function encodeStatusQuestion(question: StatusQuestion): Uint8Array<ArrayBuffer> {
  return encodeJson(question);
}

const readQuestion = objectOf<
  { readonly urls: readonly CanonicalUrl[]; readonly fromCopy: boolean },
  { readonly job: JobId }
>({ urls: listOf(valueOf(isUrl), askedUrlsMax), fromCopy: readFlag }, { job: valueOf(isJobId) });

export function decodeStatusQuestion(payload: Uint8Array): StatusQuestion | undefined {
  return readQuestion(decodeJson(payload));
}

/**
 * Texts that are too long are cut, and what the asker could not read is left out, as the row that tells it may be of any
 * member: nothing of the reply would count. Answers for which there is no room are left out: they will be asked for again.
 */
export function encodeStatusReply({ jobs, answers }: StatusReply): Uint8Array<ArrayBuffer> {
  let characters = 0;
  const fitting = answers.map((answer): KnownStatus | Refusal => {
    const cut = isRefusal(answer) ? answer : readable(withoutExcess(answer));
    characters += JSON.stringify(cut).length;
    return characters > replyCharactersMax ? {} : cut;
  });
  return encodeJson({ jobs, answers: fitting });
}

type Mandatory = Pick<KnownStatus, "state" | "attempts" | "owner">;
type Words = Required<Pick<KnownStatus, "reason">>;
type Others = Required<Omit<KnownStatus, keyof (Mandatory & Words)>>;

const others: { readonly [Name in keyof Others]: Read<Others[Name]> } = {
  job: valueOf(isJobId),
  httpStatus: readCount,
  fetchedAt: textOf(30, /^[\dTZ:.+-]+$/),
  redirect: textOf(targetCharactersMax),
  replica: readMark,
  unconfirmed: readMark,
  contentType: textOf(textCharactersMax),
  bodyBytes: readAmount,
  truncated: readMark,
  title: textOf(textCharactersMax),
  digest: textOf(128, /^[\x21-\x7e]+$/),
  archive: objectOf({ ...readPlace.fields, peer: valueOf(isMemberId) }, { body: readPlace }),
  depth: readCount,
  via: textOf(targetCharactersMax),
  linkedAs: textOf(targetCharactersMax),
};

const readStatus = objectOf<Mandatory, Others, Words>(
  {
    state: oneOf(["unknown", "queued", "done", "excluded"]),
    attempts: readCount,
    owner: valueOf(isMemberId),
  },
  others,
  { reason: isStatusReason },
);

export const readRefusal = objectOf<object, { readonly holder: MemberId }>(
  {},
  { holder: valueOf(isMemberId) },
);

/** The reply to a question for `urlCount` URLs: one answer for each. */
export function decodeStatusReply(payload: Uint8Array, urlCount: number): StatusReply | undefined {
  const reply = objectOf<StatusReply>({
    jobs: readCount,
    answers: listOf((data) => readStatus(data) ?? readRefusalOf(data), urlCount),
  })(decodeJson(payload));
  return reply?.answers.length === urlCount ? reply : undefined;
}

/** The status of a URL as users see it. */
export function statusOf(url: string, known: KnownStatus): UrlStatus {
  const { attempts, httpStatus, reason, state } = known;
  const isUnasked = state === "done" && httpStatus === undefined && attempts === 0;
  const describe = isUnasked ? describeUnasked : describeReason;
  return { url, ...known, ...(reason && { detail: describe(reason) }) };
}

/** An answer that cannot be read is no refusal: nothing else of the reply counts then. */
function readRefusalOf(data: unknown): Refusal | undefined {
  return typeof data === "object" && data !== null && !isRefusal(data)
    ? undefined
    : readRefusal(data);
}

function withoutExcess(status: KnownStatus): KnownStatus {
  const { contentType, title, redirect, ...rest } = status;
  return {
    ...rest,
    ...(contentType !== undefined && { contentType: contentType.slice(0, textCharactersMax) }),
    ...(title !== undefined && { title: title.slice(0, textCharactersMax) }),
    ...(redirect !== undefined && redirect.length <= targetCharactersMax && { redirect }),
  };
}

function readable(status: KnownStatus): KnownStatus {
  const readers: Readonly<Record<string, Read<unknown> | undefined>> = others;
  const fields = Object.entries(status).filter(([name, value]) => {
    const read = readers[name];
    return read === undefined || read(value) !== undefined;
  });
  return Object.fromEntries(fields) as unknown as KnownStatus;
}

function isUrl(data: unknown): data is CanonicalUrl {
  return isUrlText(data);
}
