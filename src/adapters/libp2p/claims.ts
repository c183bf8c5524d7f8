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
import { SaidClaims, type SaidClaim } from "./said-claims.ts";

/** Of one member's claims; a member needs a few small ones a second. */
const claimBytesPerSecondMax = 2 * 1_048_576;

/** Of the claims that one neighbour passes on: those of hundreds of members. */
const neighbourBytesPerSecondMax = 16 * claimBytesPerSecondMax;

/** What a claim costs besides its bytes: a signature to check. */
const claimCostBytes = 8_192;

/**
 * Claims that travel by gossip, each signed by the member that it comes from; what a new neighbour may have missed is said
 * again ({@link SaidClaims}).
 */
export class Claims {
  readonly #pubsub: GossipSub;
  readonly #topic: string;
  readonly #onClaim: (from: MemberId, claim: Uint8Array) => void;
  readonly #onLost: (error: unknown) => void;
  readonly #nowMs: () => Millis;
  readonly #rate = new RateLimit(claimBytesPerSecondMax);
  readonly #neighbourRate = new RateLimit(neighbourBytesPerSecondMax);
  readonly #said = new SaidClaims();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    pubsub: GossipSub,
    topic: string,
    onClaim: (from: MemberId, claim: Uint8Array) => void,
    onLost: (error: unknown) => void,
    nowMs: () => Millis,
  ) {
    this.#pubsub = pubsub;
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
    this.#send(this.#said.add(claim, this.#nowMs()));
    this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#pubsub.removeEventListener("message", this.#onMessage);
    this.#pubsub.removeEventListener("subscription-change", this.#onNeighbour);
  }

  /**
   * What one member says too much of is not passed on, so its neighbours stop a flood; nor is what a neighbour passes on
   * too much of, since a claim can be signed with a key of its own.
   */
  #judge(neighbour: PeerId, message: Message): TopicValidatorResult {
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
    this.#said.newcomer(this.#nowMs());
    this.#wait();
  };

  readonly #onMessage = ({ detail }: CustomEvent<Message>): void => {
    if (detail.type !== "signed" || detail.topic !== this.#topic) return;
    this.#onClaim(detail.from.toString() as MemberId, detail.data);
  };

  /** Says again what is due, when it is. */
  #wait(): void {
    clearTimeout(this.#timer);
    const { nextMs } = this.#said;
    if (nextMs === undefined) return;
    const sayAgain = (): void => {
      for (const said of this.#said.takeDue(this.#nowMs())) this.#send(said);
      this.#wait();
    };
    this.#timer = setTimeout(sayAgain, Math.max(0, nextMs - this.#nowMs()));
  }

  #send(said: SaidClaim): void {
    this.#pubsub.publish(this.#topic, said.claim).then(({ recipients }) => {
      said.isHeard ||= recipients.length > 0;
    }, this.#onLost);
  }
}
