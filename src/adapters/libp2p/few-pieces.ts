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
 * Joins each of the pieces from `start` on to what came before it as long as that is not far longer, so that each byte is
 * copied a few times at most, and `n` bytes are kept in some `n / 2,048` pieces, however they came.
 */
export function joinPieces(pieces: Uint8Array[], start = pieces.length - 1): void {
  const added = pieces.splice(Math.max(0, start));
  for (const piece of added) addPiece(pieces, piece);
}

function addPiece(pieces: Uint8Array[], piece: Uint8Array): void {
  let last = piece;
  for (;;) {
    const before = pieces.at(-1);
    const isKept = last.length >= pieceBytesMin;
    if (before === undefined || isKept || before.length >= 2 * last.length) break;
    pieces.pop();
    last = Buffer.concat([before, last]);
  }
  pieces.push(last);
}

/**
 * Makes the lists of bytes in which libp2p collects messages keep them in few pieces. A peer decides how many come: a megabyte
 * of gossip or a lookup may come in as many frames. One byte of its own takes more than a hundred, and the lists take a
 * quadratic time to let go of so many, in one turn of the event loop: minutes for that megabyte.
 */
export function keepPiecesFew(): void {
  lists.appendAll = function (added) {
    const start = this.bufs.length;
    appendAll.call(this, added);
    // What is added may be a list: a frame that two messages of the encryption share comes in two pieces.
    if (this.bufs.length > piecesMin) joinPieces(this.bufs, start);
  };
}
