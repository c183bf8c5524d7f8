import {
  TopicValidatorResult,
  type GossipSub,
  type Message,
  type SubscriptionChangeData,
} from "@libp2p/gossipsub";
import type { MemberId, Millis } from "../../core/units.ts";
import { noticeBytesMax } from "./frame-codec.ts";
import { RateLimit } from "./rate-limit.ts";

/** After a new neighbour has subscribed, gossip needs some of its rounds until claims go through it in all directions. */
const settlingMs = 1_500;

/** Claims that may have come too early for a neighbour: what a member says while it joins. */
const recentMax = 64;

/** Of one member's claims; a member needs a few small ones a second. */
const claimBytesPerSecondMax = 2 * 1_048_576;

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
  readonly #rate = new RateLimit(claimBytesPerSecondMax);
  #recent: Recent[] = [];
  #settling: NodeJS.Timeout | undefined;

  constructor(
    pubsub: GossipSub,
    topic: string,
    onClaim: (from: MemberId, claim: Uint8Array) => void,
    onLost: (error: unknown) => void,
  ) {
    this.#pubsub = pubsub;
    this.#topic = topic;
    this.#onClaim = onClaim;
    this.#onLost = onLost;
  }

  start(): void {
    this.#pubsub.topicValidators.set(this.#topic, (_, message) => this.#judge(message));
    this.#pubsub.addEventListener("message", this.#onMessage);
    this.#pubsub.addEventListener("subscription-change", this.#onNeighbour);
    this.#pubsub.subscribe(this.#topic);
  }

  publish(claim: Uint8Array): void {
    const atMs = Date.now();
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

  /** What one member says too much of is not passed on, so its neighbours stop a flood. */
  #judge(message: Message): TopicValidatorResult {
    const { length } = message.data;
    if (message.type !== "signed" || length > noticeBytesMax) return TopicValidatorResult.Reject;
    const isAllowed = this.#rate.allows(
      message.from.toString(),
      Date.now(),
      length + claimCostBytes,
    );
    return isAllowed ? TopicValidatorResult.Accept : TopicValidatorResult.Ignore;
  }

  readonly #onNeighbour = ({ detail }: CustomEvent<SubscriptionChangeData>): void => {
    const isNew = detail.subscriptions.some(
      ({ topic, subscribe }) => subscribe && topic === this.#topic,
    );
    if (!isNew) return;
    const earlyMs = Date.now() - settlingMs;
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
