import { TopicValidatorResult, type GossipSub, type Message } from "@libp2p/gossipsub";
import type { MemberId } from "../../core/units.ts";
import { noticeBytesMax } from "./frame-codec.ts";

/** Claims that travel by gossip, each signed by the member that it comes from. */
export class Claims {
  readonly #pubsub: GossipSub;
  readonly #topic: string;
  readonly #onClaim: (from: MemberId, claim: Uint8Array) => void;

  constructor(
    pubsub: GossipSub,
    topic: string,
    onClaim: (from: MemberId, claim: Uint8Array) => void,
  ) {
    this.#pubsub = pubsub;
    this.#topic = topic;
    this.#onClaim = onClaim;
  }

  start(): void {
    this.#pubsub.topicValidators.set(this.#topic, (_, { data }) =>
      data.length <= noticeBytesMax ? TopicValidatorResult.Accept : TopicValidatorResult.Reject,
    );
    this.#pubsub.addEventListener("message", this.#onMessage);
    this.#pubsub.subscribe(this.#topic);
  }

  /** Rejects where gossip has no room or has stopped: claims may be lost. */
  async publish(claim: Uint8Array): Promise<void> {
    await this.#pubsub.publish(this.#topic, claim);
  }

  stop(): void {
    this.#pubsub.removeEventListener("message", this.#onMessage);
  }

  readonly #onMessage = ({ detail }: CustomEvent<Message>): void => {
    if (detail.type !== "signed" || detail.topic !== this.#topic) return;
    this.#onClaim(detail.from.toString() as MemberId, detail.data);
  };
}
