import type { PeerId } from "@libp2p/interface";
import type { Millis } from "../../core/units.ts";
import { eachSecured, type NewEncrypter, type Secured } from "./each-secured.ts";

/** A member needs a few: Yamux asks twice a minute whether its peer is there, and streams end one by one. */
const answersPerSecondMax = 1_000;
const windowMs: Millis = 1_000;

/** Of a frame of Yamux, which has the version first, then its type, and its flags in two bytes. */
const headBytes = 12;
const pingType = 2;
const ackFlag = 2;
const resetFlag = 8;

/**
 * An encrypter whose connections end when their peers have too many answers forced out of them: Yamux answers each ping,
 * and each stream that is one too many, at once and unasked, also to a peer that reads nothing. Twelve bytes that come cost
 * an encryption, a system call, and memory until they are read: some megabytes of pings a second would let nothing else
 * of this process run.
 */
export function limitForcedAnswers(
  newEncrypter: NewEncrypter,
  onFlood: (peer: PeerId) => void,
): NewEncrypter {
  return eachSecured(newEncrypter, ({ connection, remotePeer }) => {
    limit(connection, () => onFlood(remotePeer));
  });
}

function limit(connection: Secured["connection"], onFlood: () => void): void {
  const send = connection.send.bind(connection);
  let count = 0;
  let endMs: Millis = 0;
  connection.send = (data) => {
    if (data.byteLength !== headBytes || !isForced(data.subarray(0, headBytes))) return send(data);
    const nowMs = performance.now();
    if (nowMs >= endMs) [count, endMs] = [0, nowMs + windowMs];
    count += 1;
    if (count <= answersPerSecondMax) return send(data);
    if (count === answersPerSecondMax + 1) onFlood();
    // Yamux, which is about to answer a frame, ends the connection for it.
    throw new Error("too many answers in a second");
  };
}

/** Whether it answers a ping, or resets a stream. */
function isForced(head: Uint8Array): boolean {
  const flags = ((head[2] ?? 0) << 8) | (head[3] ?? 0);
  return head[0] === 0 && (head[1] === pingType ? flags === ackFlag : (flags & resetFlag) !== 0);
}
