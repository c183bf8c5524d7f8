import { FairSlots, type InTurn } from "../../../core/fair-slots.ts";
import type { ArchivePlace, UrlStatus } from "../../../core/answers/url-status.ts";
import { CrawlError } from "../../../core/errors.ts";
import { contentChunkBytes, damaged } from "../../../core/messages/content-message.ts";
import type {
  ContentChunk,
  ContentHead,
  ContentQuestion,
} from "../../../core/messages/content-message.ts";
import { formatBytes } from "../../../core/text/human.ts";
import type { MemberId } from "../../../core/units.ts";
import type { ArchivedResponse } from "../../../ports/archive.ts";
import type { Clock } from "../../../ports/clock.ts";
import { contentsMax, notArchived } from "../../answers/question-desk.ts";
import { Slots } from "../../slots.ts";
import type { StatusDesk } from "../../answers/status-desk.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import { UnpackedResponses } from "./unpacked-responses.ts";

/** What a desk for archived responses needs of the rest of the peer. */
interface ContentParts {
  readonly calls: Pick<PeerCalls, "content">;
  readonly clock: Pick<Clock, "call" | "nowMs">;
  readonly urls: Pick<StatusDesk, "read">;
  readonly view: Pick<SwarmView, "self">;
}

/** Archived responses, wherever they are: fetched from other members in parts, and handed to them. */
export class ContentDesk {
  readonly #calls: ContentParts["calls"];
  readonly #urls: ContentParts["urls"];
  readonly #view: ContentParts["view"];
  readonly #bodyBytesMax: number;
  readonly #own = new Slots(contentsMax);
  /** A member that is slow, or silent, keeps nobody from what is here, and from what others have for one answer at most. */
  readonly #fetched = new FairSlots(contentsMax);
  readonly #unpacked: UnpackedResponses;

  constructor(
    parts: ContentParts,
    /** Longest body that is taken from another member. */
    bodyBytesMax: number,
    /** Aborts when the peer ends. */
    signal: AbortSignal,
  ) {
    this.#calls = parts.calls;
    this.#urls = parts.urls;
    this.#view = parts.view;
    this.#bodyBytesMax = bodyBytesMax;
    this.#unpacked = new UnpackedResponses(parts.clock, signal);
  }

  /**
   * The response that a status tells of. Errors: `ARCHIVE_CORRUPT`, `NOT_ARCHIVED`, `MEMBER_UNREACHABLE`; the reason of
   * `signal`.
   */
  async fetch(
    input: string,
    status: UrlStatus | undefined,
    signal?: AbortSignal,
  ): Promise<ArchivedResponse> {
    if (status?.reason === "owner-unreachable") throw unreachable(input, status.owner);
    const place = status?.archive;
    if (!place) throw notArchived(input);
    const { self } = this.#view;
    const isTold = status.owner !== self;
    return place.peer === self
      ? this.#own.run(() => this.#urls.read(place, place.body, isTold), signal)
      : this.#fetched.run(place.peer, () => this.#fetchFrom(place, input, signal));
  }

  /**
   * A part of a record of this peer's archive, for another member.
   *
   * @param inTurn unpacks the record, as a whole; a part of one that is unpacked waits for nobody
   */
  async part({ place, body, from }: ContentQuestion, inTurn: InTurn): Promise<ContentChunk> {
    const key = JSON.stringify([place, body]);
    try {
      const response =
        this.#unpacked.get(key) ?? (await inTurn(() => this.#urls.read(place, body, true)));
      const { body: whole, ...head } = response;
      const end = from + contentChunkBytes;
      if (end < whole.length) this.#unpacked.keep(key, response);
      else this.#unpacked.drop(key);
      const bytes = whole.subarray(from, end);
      return { head: { ...head, bodyBytes: whole.length }, bytes };
    } catch (error) {
      return { head: headOf(error), bytes: new Uint8Array(0) };
    }
  }

  async #fetchFrom({ peer, body, ...place }: ArchivePlace, input: string, signal?: AbortSignal) {
    const parts: Uint8Array[] = [];
    let received = 0;
    let head: ContentHead | undefined;
    do {
      signal?.throwIfAborted();
      const question = { place, from: received, ...(body && { body }) };
      const chunk = await this.#calls.content(peer as MemberId, question);
      if (!chunk) throw unreachable(input, peer);
      if (!chunk.head) throw notArchived(input);
      if (chunk.head === damaged) throw unreadable(input, peer);
      head ??= chunk.head;
      if (head.bodyBytes > this.#bodyBytesMax) throw tooLong(input, peer, head.bodyBytes);
      const end = received + chunk.bytes.length;
      const isSound = chunk.head.bodyBytes === head.bodyBytes && end <= head.bodyBytes;
      const isEmpty = chunk.bytes.length === 0 && end < head.bodyBytes;
      if (!isSound || isEmpty) throw unreachable(input, peer);
      parts.push(chunk.bytes);
      received = end;
    } while (received < head.bodyBytes);
    const { bodyBytes, ...rest } = head;
    return { ...rest, body: joined(parts, bodyBytes) };
  }
}

/** What is said of a record that could not be read. */
function headOf(error: unknown): ContentChunk["head"] {
  if (!(error instanceof CrawlError)) throw error;
  if (error.code === "NOT_ARCHIVED") return undefined;
  if (error.code === "ARCHIVE_CORRUPT") return damaged;
  throw error;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function tooLong(input: string, member: string, bodyBytes: number): CrawlError {
  const problem = `${member} has ${input}, in ${formatBytes(bodyBytes)}; that is more than is taken from another peer: ask that one`;
  return new CrawlError("MEMBER_UNREACHABLE", problem, { url: input, member, bodyBytes });
}

function unreadable(input: string, member: string): CrawlError {
  const problem = `the record of ${input} in the archive of ${member} is damaged`;
  return new CrawlError("ARCHIVE_CORRUPT", problem, { url: input, member });
}

function unreachable(input: string, member: string): CrawlError {
  const problem = `${member}, which has ${input}, does not answer; ask again when it does`;
  return new CrawlError("MEMBER_UNREACHABLE", problem, { url: input, member });
}
