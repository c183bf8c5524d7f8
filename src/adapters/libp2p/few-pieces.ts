import { Uint8ArrayList } from "uint8arraylist";

/** Pieces are kept as they come where they have so many bytes. */
const pieceBytesMin = 16_384;

/** In a list of no more, they are kept as they come, too. */
const piecesMin = 32;

/** What the class of lists has beside the type that its package tells of. */
interface Insides {
  readonly bufs: Uint8Array[];
  appendAll: (this: Insides, added: readonly (Uint8Array | Uint8ArrayList)[]) => void;
}

const lists = Uint8ArrayList.prototype as unknown as Insides;
const { appendAll } = lists;

/**
 * Joins what came last to what came before as long as that is not far longer, so that each byte is copied a few times at
 * most, and `n` bytes are kept in some `n / 16,384` pieces.
 */
export function joinPieces(pieces: Uint8Array[]): void {
  for (;;) {
    const [before, last] = pieces.slice(-2);
    if (before === undefined || last === undefined) return;
    if (last.length >= pieceBytesMin || before.length >= 2 * last.length) return;
    pieces.splice(-2, 2, Buffer.concat([before, last]));
  }
}

/**
 * Makes the lists of bytes in which libp2p collects messages keep them in few pieces. A peer decides how many come: a megabyte
 * of gossip or a lookup may come in as many frames. One byte of its own takes more than a hundred, and the lists take a
 * quadratic time to let go of so many, in one turn of the event loop: minutes for that megabyte.
 */
export function keepPiecesFew(): void {
  lists.appendAll = function (added) {
    appendAll.call(this, added);
    if (this.bufs.length > piecesMin) joinPieces(this.bufs);
  };
}
