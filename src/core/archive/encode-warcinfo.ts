import { invariant } from "../errors.ts";
import type { Millis } from "../units.ts";
import { encodeWarcRecords, fieldValue, recordIdOf, warcDate } from "./warc-record.ts";

/** Who wrote an archive file, and as what it introduced itself to servers. */
export interface WarcinfoFacts {
  /** Program and version, for instance `orbweaver/0.1.0`. */
  readonly software: string;
  /** The User-Agent that was sent. */
  readonly userAgent: string;
  /** Name, address or page of whoever runs the crawl. */
  readonly operator: string;
}

const warcSpecification =
  "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

const utf8 = new TextEncoder();

/** Encodes the `warcinfo` record that every file starts with (ISO 28500:2017, section 6.2). */
export function encodeWarcinfo(
  facts: WarcinfoFacts,
  file: string,
  uuid: string,
  atMs: Millis,
): Uint8Array<ArrayBuffer> {
  const fields = [
    ["software", facts.software],
    ["format", "WARC File Format 1.1"],
    ["conformsTo", warcSpecification],
    ["robots", "obeyed"],
    ["http-header-user-agent", facts.userAgent],
    ["operator", facts.operator],
  ];
  const block = fields.map(([name, value]) => `${name ?? ""}: ${fieldValue(value ?? "")}\r\n`);
  const [record] = encodeWarcRecords([
    {
      head:
        `WARC-Type: warcinfo\r\nWARC-Record-ID: ${recordIdOf(uuid)}\r\n` +
        `WARC-Date: ${warcDate(atMs)}\r\nWARC-Filename: ${fieldValue(file)}\r\n` +
        "Content-Type: application/warc-fields\r\n",
      blockText: "",
      blockBytes: utf8.encode(block.join("")),
    },
  ]);
  invariant(record !== undefined, "one record in, one record out");
  return record;
}
