import { hash64 } from "../../core/hash/hash64.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import { DigestRecord } from "../../core/record/record.pb.ts";
import type { Brand } from "../../core/units.ts";
import type { Archive } from "../../ports/archive.ts";
import type { RawHeaders } from "../../ports/fetcher.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import { digestKey } from "../admission/sieve-keeper.ts";
import type { SieveKeeper } from "../admission/sieve-keeper.ts";

/** Digests whose capture is remembered: on a site that repeats itself, nearly all answers come from here. */
const recentMax = 4_096;

/** Fields of a head that say what the payload is, and what it leads to. */
const tellingFields: readonly string[] = [
  "content-encoding",
  "content-type",
  "refresh",
  "x-robots-tag",
];

/** What is known of a payload: where it was archived first, that it is seen for the first time, or neither for sure. */
export type DigestFinding = DigestRecord | "new" | "unsure";

/** What a payload is known by: a {@link payloadName}. */
export type PayloadName = Brand<string, "PayloadName">;

/** Which payloads are in the archive: behind the sieve, so that a payload never seen costs no look-up. */
export class DigestIndex {
  readonly #archive: Pick<Archive, "has">;
  readonly #store: Pick<Store, "get">;
  readonly #sieve: SieveKeeper;
  readonly #recent = new Map<string, DigestRecord>();
  /** The same digests by arrival: to find a map's first key costs time for all that have been deleted before it. */
  readonly #arrivals: string[] = [];
  #arrived = 0;

  constructor(archive: Pick<Archive, "has">, store: Pick<Store, "get">, sieve: SieveKeeper) {
    this.#archive = archive;
    this.#store = store;
    this.#sieve = sieve;
  }

  /**
   * `unsure`: another page with this payload is on its way into the archive. One that is in the archive no more counts as new:
   * a reference to it would be all that there is of the page.
   */
  async find(name: PayloadName): Promise<DigestFinding> {
    const recent = this.#recent.get(name);
    if (recent) return this.#unlessGone(recent);
    const { space, words, at } = digestKey(name);
    const answer = this.#sieve.sieve.offer(space, words, at);
    if (answer === "new") return "new";
    const value = await this.#store.get(namedKey("digest", name));
    if (answer === "ask") this.#sieve.sieve.settle(space, words, at, value !== undefined);
    if (value) return this.#unlessGone(DigestRecord.decode(value));
    return answer === "ask" ? "new" : "unsure";
  }

  #unlessGone(record: DigestRecord): DigestFinding {
    return record.capture && this.#archive.has(record.capture) ? record : "new";
  }

  /** Takes in the first capture of a payload; the returned operations make it as durable as their batch. */
  add(name: PayloadName, record: DigestRecord): readonly StoreOp[] {
    const place = this.#arrived % recentMax;
    const oldest = this.#arrivals[place];
    if (oldest !== undefined) this.#recent.delete(oldest);
    this.#recent.set(name, record);
    this.#arrivals[place] = name;
    this.#arrived += 1;
    return [
      { type: "put", key: namedKey("digest", name), value: DigestRecord.encode(record) },
      ...this.#sieve.log([digestKey(name)]),
    ];
  }
}

/**
 * A payload that came with another head is another one, lest a page is read as what the head of the earlier one says: the file
 * that a server sends as it is, and as the content coding of a page.
 */
export function payloadName(digest: string, headers: RawHeaders): PayloadName {
  const told = headers.flatMap((value, at) => {
    const field = headers[at - 1]?.toLowerCase() ?? "";
    return at % 2 === 1 && tellingFields.includes(field) ? [`${field}: ${value}`] : [];
  });
  return `${digest} ${hash64(told.join("\n")).toString(36)}` as PayloadName;
}
