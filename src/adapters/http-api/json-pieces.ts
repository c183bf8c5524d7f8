import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** Characters of a piece from which on it is handed over: about as much as a socket takes at once. */
const pieceCharactersMin = 65_536;

/** Answers with a document that may be long, as its reader takes it. */
export function sendInPieces(reply: FastifyReply, document: object): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(Readable.from(jsonPieces(document)));
}

/**
 * A document as JSON, in pieces: of ten thousand jobs it is 9 MB, which would be kept for each asker until the slowest has
 * taken them, and made while everything else waits.
 *
 * Invariant: together they are what `JSON.stringify` makes of it. But for its last part, no piece is longer than
 * {@link pieceCharactersMin}; a part is one entry of an array, or one member that is no array.
 */
export function* jsonPieces(document: object): Generator<string> {
  let piece = "";
  for (const part of partsOf(document)) {
    piece += part;
    if (piece.length < pieceCharactersMin) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function* partsOf(document: object): Generator<string> {
  let before = "{";
  for (const [name, value] of Object.entries(document) as [string, unknown][]) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (Array.isArray(value)) yield* entriesOf(value);
    else yield JSON.stringify(value);
  }
  yield before === "{" ? "{}" : "}";
}

function* entriesOf(list: readonly unknown[]): Generator<string> {
  for (const [at, entry] of list.entries()) yield (at === 0 ? "[" : ",") + JSON.stringify(entry);
  yield list.length === 0 ? "[]" : "]";
}
