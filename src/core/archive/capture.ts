import type { Millis } from "../units.ts";

/** One HTTP exchange to be archived. */
export interface Exchange {
  readonly url: string;
  readonly address: string;
  readonly method: "GET";
  readonly status: number;
  /** As the status line names it: `1.1`, or `1.0`. */
  readonly httpVersion: string;
  readonly statusText: string;
  /** Name, value, name, value, as on the wire. */
  readonly headers: readonly string[];
  readonly requestHeaders: readonly string[];
  /** As received: content coding kept, transfer coding removed. */
  readonly encodedBody: Uint8Array<ArrayBuffer>;
  readonly truncation?: "length" | "time" | "disconnect";
  readonly fetchedAtMs: Millis;
}

/** What the index says of a capture. */
export interface CaptureIndex {
  readonly url: string;
  readonly fetchedAtMs: Millis;
  readonly status: number;
  readonly mime: string;
  /** `sha1:` and base32 of the payload (the body as received), as the field's tools write it. */
  readonly payloadDigest: string;
  /** WARC-Record-ID of the response record, `<urn:uuid:...>`. */
  readonly recordId: string;
}

/** The earlier capture that a revisit record refers to. */
export interface RevisitTarget {
  readonly url: string;
  readonly fetchedAtMs: Millis;
  readonly reason: "identical-payload-digest" | "server-not-modified";
  readonly payloadDigest: string;
}
