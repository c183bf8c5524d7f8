import { setImmediate as nextTurn, setTimeout as after } from "node:timers/promises";
import type { GossipSub, GossipSubComponents } from "@libp2p/gossipsub";
import type { RPC } from "@libp2p/gossipsub/message";
import type { PeerId, Stream } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import { heardStream, type HeardStream } from "./heard-stream.ts";
import { RateLimit } from "./rate-limit.ts";

/** Parts of gossip that are heard of one neighbour in a second: the claims of a thousand members, twice. The rest waits. */
const partsPerSecondMax = 2_048;

/** Parts that are heard in one turn of the event loop. */
const partsPerTurn = 32;

/** Bytes of a claim, and ids of claims, that count as one part more. */
const partBytes = 4_096;
const partIds = 16;

/** Of the id of a claim: its author's, and eight bytes. A longer one is no claim's, and to remember it costs its text. */
const idBytesMax = 128;

/** How long a neighbour may ask not to be asked for claims: as long as gossip itself does. It is remembered though it goes. */
const backoffSecondsMax = 60;

/** Claims without a right signature in a second; no member passes on any. */
const forgedPerSecondMax = 32;

/** How long somebody waits until the pace is looked at again. */
const pauseMs: Millis = 100;

/** What gossipsub's class has beside the type that its package tells of. */
interface Insides {
  createInboundStream(from: PeerId, stream: HeardStream): void;
  decodeRpc(bytes: Uint8Array): RPC;
  handleReceivedRpc(from: PeerId, rpc: RPC): Promise<void>;
  readonly score: { rejectInvalidMessage(from: string, topic: string): void };
}

/** Time, replaced in tests. */
export interface PaceTimes {
  readonly nowMs: () => Millis;
  readonly pause: () => Promise<unknown>;
}

const realTimes: PaceTimes = Object.freeze({
  nowMs: () => performance.now(),
  pause: () => after(pauseMs, undefined, { ref: false }),
});

/**
 * Gossip that hears each neighbour at a bounded pace, and a large message in several turns of the event loop: each claim has
 * a signature to check, and that before anything judges it; a megabyte holds some thousand. Meanwhile no more of the
 * neighbour is read, so that it waits. So does one that has not greeted yet: what gossip has heard of once it does not hear
 * again from others. One that passes on what nobody has signed, or sends what is no message, is told of as a flood.
 */
export function paceGossip<Components extends Pick<GossipSubComponents, "connectionManager">>(
  newGossip: (components: Components) => GossipSub,
  onFlood: (peer: PeerId) => void,
  isGreeted: (peer: PeerId) => boolean,
  times = realTimes,
): (components: Components) => GossipSub {
  return (components) => {
    const pubsub = newGossip(components);
    const insides = pubsub as unknown as Insides;
    const known = ["createInboundStream", "decodeRpc", "handleReceivedRpc", "score"];
    invariant(
      known.every((part) => part in pubsub),
      "gossipsub's insides are known",
    );
    const forgers = forgersOf(insides, times);
    const pace = new RateLimit(partsPerSecondMax);
    const take = insides.createInboundStream.bind(pubsub);
    const takeAsHeard = (from: PeerId, stream: Stream): void => take(from, heardStream(stream));
    Object.assign(pubsub, { createInboundStream: takeAsHeard });
    const isMalformed = malformedIn(insides);
    const receive = insides.handleReceivedRpc.bind(pubsub);
    insides.handleReceivedRpc = async (from, rpc) => {
      if (isMalformed(rpc)) {
        onFlood(from);
        await nothingMore();
      }
      const peer = from.toString();
      const isConnected = (): boolean =>
        components.connectionManager.getConnections(from).length > 0;
      while (!isGreeted(from) && isConnected()) await times.pause();
      for (const { part, weight } of turnsOf(rpc)) {
        while (!pace.allows(peer, times.nowMs(), weight)) await times.pause();
        // It would be remembered as a neighbour.
        if (!isConnected()) return;
        await receive(from, part);
        if (forgers.delete(peer)) {
          onFlood(from);
          return;
        }
        if (part !== rpc) await nextTurn();
      }
    };
    return pubsub;
  };
}

/** Whoever waits for it hears nothing more, and is forgotten with what it has heard until then. */
function nothingMore(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * What is no message is handed over as an empty one, of which this tells. Gossip itself would go on with the next, without a
 * pause: a hundred thousand that are none, of two bytes each, would let nothing else of this process run for seconds.
 */
function malformedIn(insides: Insides): (rpc: RPC) => boolean {
  const malformed = new WeakSet<RPC>();
  const decode = insides.decodeRpc.bind(insides);
  insides.decodeRpc = (bytes) => {
    try {
      return decode(bytes);
    } catch {
      const nothing: RPC = { subscriptions: [], messages: [] };
      malformed.add(nothing);
      return nothing;
    }
  };
  return (rpc) => malformed.has(rpc);
}

/** Who has just passed on too many claims without a right signature. */
function forgersOf({ score }: Insides, { nowMs }: PaceTimes): Set<string> {
  const forgers = new Set<string>();
  const limit = new RateLimit(forgedPerSecondMax);
  const reject = score.rejectInvalidMessage.bind(score);
  score.rejectInvalidMessage = (from, topic) => {
    reject(from, topic);
    if (!limit.allows(from, nowMs())) forgers.add(from);
  };
  return forgers;
}

interface Turn {
  readonly part: RPC;
  readonly weight: number;
}

/** The message as what is heard of it in one turn each; itself where that is all of it. */
function turnsOf(rpc: RPC): Turn[] {
  const { subscriptions, messages, control } = rpc;
  for (const said of idsOf(control)) {
    if (said.messageIDs.some(isTooLong))
      said.messageIDs = said.messageIDs.filter((id) => !isTooLong(id));
  }
  for (const said of control?.prune ?? []) {
    if ((said.backoff ?? 0) > backoffSecondsMax) said.backoff = backoffSecondsMax;
  }
  const { ihave = [], iwant = [], graft = [], prune = [], idontwant = [] } = control ?? {};
  const nothing: RPC = { subscriptions: [], messages: [] };
  const saying = (said: Partial<RPC.ControlMessage>): RPC => ({
    ...nothing,
    control: { ihave: [], iwant: [], graft: [], prune: [], idontwant: [], ...said },
  });
  const turns = [
    ...cut(subscriptions, one, (some) => ({ ...nothing, subscriptions: some })),
    ...cut(messages, weightOfClaim, (some) => ({ ...nothing, messages: some })),
    ...cut(ihave, weightOfIds, (some) => saying({ ihave: some })),
    ...cut(iwant, weightOfIds, (some) => saying({ iwant: some })),
    ...cut(graft, one, (some) => saying({ graft: some })),
    ...cut(prune, one, (some) => saying({ prune: some })),
    ...cut(idontwant, weightOfIds, (some) => saying({ idontwant: some })),
  ];
  const weight = turns.reduce((sum, turn) => sum + turn.weight, 1);
  return weight > partsPerTurn ? turns : [{ part: rpc, weight }];
}

/** What the message says of claims by their ids. */
function idsOf(control: RPC["control"]): { messageIDs: Uint8Array[] }[] {
  return [control?.ihave ?? [], control?.iwant ?? [], control?.idontwant ?? []].flat();
}

function isTooLong(id: Uint8Array): boolean {
  return id.length > idBytesMax;
}

/** The list in pieces that weigh no more than a turn may, but for one that does so alone. */
function cut<T>(
  list: readonly T[],
  weigh: (item: T) => number,
  partOf: (some: T[]) => RPC,
): Turn[] {
  const turns: Turn[] = [];
  let some: T[] = [];
  let weight = 0;
  const close = (): void => {
    if (some.length > 0)
      turns.push({ part: partOf(some), weight: Math.min(weight, partsPerSecondMax) });
    some = [];
    weight = 0;
  };
  for (const item of list) {
    const own = weigh(item);
    if (weight + own > partsPerTurn) close();
    some.push(item);
    weight += own;
  }
  close();
  return turns;
}

function one(): number {
  return 1;
}

function weightOfClaim({ data }: RPC.Message): number {
  return 1 + (data?.length ?? 0) / partBytes;
}

function weightOfIds({ messageIDs }: { readonly messageIDs: readonly unknown[] }): number {
  return 1 + messageIDs.length / partIds;
}
