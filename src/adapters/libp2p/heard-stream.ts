import { YamuxStream } from "@chainsafe/libp2p-yamux/stream";
import type { Stream } from "@libp2p/interface";

/** What may come of a neighbour while it is not read; less than what a stream holds unread before it breaks. */
const windowBytesMax = 524_288;

type Piece = Stream extends AsyncIterable<infer T> ? T : never;

/** What gossip uses of a stream that it reads. */
export type HeardStream = AsyncIterable<Piece> & Pick<Stream, "close" | "abort">;

/**
 * A stream that is read no faster than somebody takes from it. What libp2p itself iterates over takes in all that comes, and
 * tells the peer that there is room for more, however long the reader is busy with what it has.
 */
export function heardStream(stream: Stream): HeardStream {
  // Else it grows to 16 MiB.
  if (stream instanceof YamuxStream) Object.assign(stream, { maxStreamWindowSize: windowBytesMax });
  return {
    close: (options) => stream.close(options),
    abort: (error) => stream.abort(error),
    [Symbol.asyncIterator]: () => piecesOf(stream),
  };
}

async function* piecesOf(stream: Stream): AsyncGenerator<Piece> {
  const come: Piece[] = [];
  let change = Promise.withResolvers<undefined>();
  let hasEnded = stream.status !== "open";
  let error: Error | undefined;
  const pause = (): void => {
    if (stream.status === "open" && stream.readStatus === "readable") stream.pause();
  };
  let isResuming = false;
  stream.addEventListener("message", ({ data }) => {
    come.push(data);
    if (!isResuming) pause();
    change.resolve(undefined);
  });
  stream.addEventListener("remoteCloseWrite", () => {
    hasEnded = true;
    change.resolve(undefined);
  });
  stream.addEventListener("close", (event) => {
    hasEnded = true;
    error = event.error;
    change.resolve(undefined);
  });
  for (;;) {
    for (let piece = come.shift(); piece !== undefined; piece = come.shift()) yield piece;
    change = Promise.withResolvers<undefined>();
    if (stream.status === "open" && stream.readStatus === "paused") {
      // It hands over what has come meanwhile, and only then tells of room.
      isResuming = true;
      stream.resume();
      isResuming = false;
    }
    if (come.length > 0) {
      pause();
      continue;
    }
    if (error !== undefined) throw error;
    if (hasEnded) return;
    await change.promise;
  }
}
