import {
  TopicValidatorResult,
  type GossipSub,
  type Message,
  type SubscriptionChangeData,
} from "@libp2p/gossipsub";
import type { MemberId, Millis } from "../../core/units.ts";
import type { PeerId } from "@libp2p/interface";
import { noticeBytesMax } from "./frame-codec.ts";
import { RateLimit } from "./rate-limit.ts";

/** After a new neighbour has subscribed, gossip needs some of its rounds until claims go through it in all directions. */
const settlingMs = 1_500;

/** Claims that may have come too early for a neighbour: what a member says while it joins. */
const recentMax = 64;

/** Of one member's claims; a member needs a few small ones a second. */
const claimBytesPerSecondMax = 2 * 1_048_576;

/** Of the claims that one neighbour passes on: those of hundreds of members. */
const neighbourBytesPerSecondMax = 16 * claimBytesPerSecondMax;

/** What a claim costs besides its bytes: a signature to check. */
const claimCostBytes = 8_192;

interface Recent {
  readonly claim: Uint8Array;
  readonly atMs: Millis;
}

/**
 * Claims that travel by gossip, each signed by the member that it comes from.
 *
 * Gossip forgets what nobody was there to hear, so what is said shortly before or after a new neighbour has come is said
 * again, once, when things have settled.
 */
export class Claims {
  readonly #pubsub: GossipSub;
  readonly #topic: string;
  readonly #onClaim: (from: MemberId, claim: Uint8Array) => void;
  readonly #onLost: (error: unknown) => void;
  readonly #isGreeted: (neighbour: MemberId) => boolean;
  readonly #nowMs: () => Millis;
  readonly #rate = new RateLimit(claimBytesPerSecondMax);
  readonly #neighbourRate = new RateLimit(neighbourBytesPerSecondMax);
  #recent: Recent[] = [];
  #settling: NodeJS.Timeout | undefined;

  constructor(
    pubsub: GossipSub,
    topic: string,
    onClaim: (from: MemberId, claim: Uint8Array) => void,
    onLost: (error: unknown) => void,
    /** Whether a neighbour has greeted: claims that others pass on are not heard. */
    isGreeted: (neighbour: MemberId) => boolean,
    nowMs: () => Millis,
  ) {
    this.#pubsub = pubsub;
    this.#isGreeted = isGreeted;
    this.#nowMs = nowMs;
    this.#topic = topic;
    this.#onClaim = onClaim;
    this.#onLost = onLost;
  }

  start(): void {
    this.#pubsub.topicValidators.set(this.#topic, (neighbour, message) =>
      this.#judge(neighbour, message),
    );
    this.#pubsub.addEventListener("message", this.#onMessage);
    this.#pubsub.addEventListener("subscription-change", this.#onNeighbour);
    this.#pubsub.subscribe(this.#topic);
  }

  publish(claim: Uint8Array): void {
    const atMs = this.#nowMs();
    this.#recent = this.#recent.filter((one) => one.atMs > atMs - settlingMs).slice(1 - recentMax);
    this.#recent.push({ claim, atMs });
    this.#send(claim);
  }

  stop(): void {
    clearTimeout(this.#settling);
    this.#recent = [];
    this.#pubsub.removeEventListener("message", this.#onMessage);
    this.#pubsub.removeEventListener("subscription-change", this.#onNeighbour);
  }

  /**
   * What one member says too much of is not passed on, so its neighbours stop a flood; nor is what a neighbour passes on
   * too much of, since a claim can be signed with a key of its own.
   */
  #judge(neighbour: PeerId, message: Message): TopicValidatorResult {
    if (!this.#isGreeted(neighbour.toString() as MemberId)) return TopicValidatorResult.Ignore;
    if (message.type !== "signed" || message.data.length > noticeBytesMax) {
      return TopicValidatorResult.Reject;
    }
    const cost = message.data.length + claimCostBytes;
    const nowMs = this.#nowMs();
    const isAllowed =
      this.#neighbourRate.allows(neighbour.toString(), nowMs, cost) &&
      this.#rate.allows(message.from.toString(), nowMs, cost);
    return isAllowed ? TopicValidatorResult.Accept : TopicValidatorResult.Ignore;
  }

  readonly #onNeighbour = ({ detail }: CustomEvent<SubscriptionChangeData>): void => {
    const isNew = detail.subscriptions.some(
      ({ topic, subscribe }) => subscribe && topic === this.#topic,
    );
    if (!isNew) return;
    const earlyMs = this.#nowMs() - settlingMs;
    this.#recent = this.#recent.filter(({ atMs }) => atMs > earlyMs);
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      for (const { claim } of this.#recent.splice(0)) this.#send(claim);
    }, settlingMs);
  };

  readonly #onMessage = ({ detail }: CustomEvent<Message>): void => {
    if (detail.type !== "signed" || detail.topic !== this.#topic) return;
    this.#onClaim(detail.from.toString() as MemberId, detail.data);
  };

  #send(claim: Uint8Array): void {
    this.#pubsub.publish(this.#topic, claim).catch(this.#onLost);
  }
}
