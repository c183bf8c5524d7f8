import type { StreamMuxer } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";
import { joinPieces } from "./few-pieces.ts";

/** Of a frame of Yamux: its version, its type, its flags in two bytes, its stream and its length in four each. */
const headBytes = 12;
const dataType = 0;

/** What a stream may be sent at first, and at most, before its peer is told that there is room again. */
const firstWindowBytes = 256 * 1_024;
const windowBytesMax = 16 * 1_048_576;
const openFlag = 1;

/** What the class of Yamux's connections has beside the type that its package tells of. */
interface Insides {
  readonly decoder: {
    readonly buffer: {
      readonly byteLength: number;
      readonly bufs: Uint8Array[];
      subarray(begin: number, end: number): Uint8Array;
    };
  };
  readonly streams: readonly { readonly streamId: number; readonly recvWindowCapacity: number }[];
  onData(data: unknown): void;
}

/**
 * Ends a connection on which a frame of Yamux begins that is longer than its stream has room for. Yamux itself looks only at
 * frames that have come to their end, and keeps until then what has come: of one frame, as much as four gigabytes.
 *
 * What is kept of a frame that there is room for is joined to few pieces: each message of the encryption is a piece, and may
 * be of one byte. One byte of its own takes more than a hundred, and Yamux takes a quadratic time to let go of so many.
 */
export function limitFrameLengths(muxer: StreamMuxer, onFlood: () => void): void {
  const insides = muxer as unknown as Insides;
  const { decoder, streams } = insides;
  invariant(
    "onData" in insides && Array.isArray(decoder.buffer.bufs) && Array.isArray(streams),
    "Yamux's insides are known",
  );
  const take = insides.onData.bind(muxer);
  insides.onData = (data) => {
    take(data);
    const { buffer } = decoder;
    joinPieces(buffer.bufs);
    if (buffer.byteLength < headBytes) return;
    const head = Buffer.from(buffer.subarray(0, headBytes));
    if (head[1] !== dataType || head.readUInt32BE(8) <= roomFor(head, insides.streams)) return;
    onFlood();
    // Yamux ends the connection for it.
    throw new Error("a frame is longer than its stream has room for");
  };
}

/** How much of a frame its stream would take. One that has ended here may be sent to meanwhile. */
function roomFor(head: Buffer, streams: Insides["streams"]): number {
  const id = head.readUInt32BE(4);
  const stream = streams.find(({ streamId }) => streamId === id);
  if (stream) return stream.recvWindowCapacity;
  return head.readUInt16BE(2) & openFlag ? firstWindowBytes : windowBytesMax;
}
