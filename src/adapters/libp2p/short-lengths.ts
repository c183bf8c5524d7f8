import { Uint8ArrayList } from "uint8arraylist";

/** The last byte that a length may have, counted from none; the highest bit of a byte says that another one follows. */
const lastByte = 7;
const followedFrom = 0x80;

const lists: { get: (this: Uint8ArrayList, index: number) => number } = Uint8ArrayList.prototype;
const { get } = lists;

/**
 * Makes libp2p give up a length of a message that does not end with its eighth byte, as it does other errors of a peer. It
 * takes that for one of which more is to come, and tries it anew with each byte that follows, whatever that is: a stranger's
 * 64 KiB would let nothing else of this process run for a second and a half. Nothing but lengths is read from the lists byte
 * by byte.
 */
export function keepLengthsShort(): void {
  lists.get = function (index) {
    const byte = get.call(this, index);
    if (index === lastByte && byte >= followedFrom) throw new Error("a length that does not end");
    return byte;
  };
}
