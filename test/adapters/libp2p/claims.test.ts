import {
  TopicValidatorResult,
  type GossipSub,
  type Message,
  type SubscriptionChangeData,
} from "@libp2p/gossipsub";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { PeerId } from "@libp2p/interface";
import { privateKeyFromProtobuf } from "@libp2p/crypto/keys";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Claims } from "../../../src/adapters/libp2p/claims.ts";
import { newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";

const topic = "claims";

async function newPeerId(): Promise<PeerId> {
  return peerIdFromPrivateKey(privateKeyFromProtobuf(await newPeerKey()));
}

describe("claims", () => {
  let neighbour: PeerId;
  let nowMs: number;
  let pubsub: GossipSub;
  let claims: Claims;
  /** First bytes of the claims that gossip was given. */
  let published: (number | undefined)[];
  /** Whom gossip says a claim to. */
  let heardBy: PeerId[];
  let judge: (through: PeerId, from: PeerId, bytes?: number) => TopicValidatorResult;

  beforeEach(async () => {
    neighbour = await newPeerId();
    nowMs = 1_000_000;
    [published, heardBy] = [[], [neighbour]];
    pubsub = Object.assign(new EventTarget(), {
      topicValidators: new Map(),
      subscribe: () => undefined,
      publish: (_topic: string, [first]: Uint8Array) => {
        published.push(first);
        return Promise.resolve({ recipients: heardBy });
      },
    }) as unknown as GossipSub;
    const fail = (error: unknown): never => {
      throw error instanceof Error ? error : new Error(String(error));
    };
    claims = new Claims(pubsub, topic, fail, fail, () => nowMs);
    claims.start();
    judge = (through, from, bytes = 100) => {
      const message = { type: "signed", topic, from, data: new Uint8Array(bytes) } as Message;
      const verdict = pubsub.topicValidators.get(topic)?.(through, message);
      if (typeof verdict !== "string") throw new Error("no verdict at once");
      return verdict;
    };
  });

  /** Lets the time go on. */
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  const subscribes = (name: string, subscribe = true): void => {
    const detail: SubscriptionChangeData = {
      peerId: neighbour,
      subscriptions: [{ topic: name, subscribe }],
    };
    pubsub.dispatchEvent(new CustomEvent("subscription-change", { detail }));
  };

  describe("of this member", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("are said again to a neighbour that comes, and no more then", async () => {
      claims.publish(Uint8Array.of(7));
      subscribes("another topic");
      subscribes(topic, false);
      await pass(1_000);
      subscribes(topic);
      await pass(1_499);
      expect(published).toEqual([7]);
      await pass(1);
      expect(published).toEqual([7, 7]);
      await pass(60_000);
      expect(published).toEqual([7, 7]);
    });

    it("are kept for longer where there was no neighbour, until there is one", async () => {
      heardBy = [];
      claims.publish(Uint8Array.of(7));
      await pass(5_000);
      heardBy = [neighbour];
      claims.publish(Uint8Array.of(8));
      await pass(3_000);
      subscribes(topic);
      await pass(1_500);
      expect(published).toEqual([7, 8, 7]);
    });

    it("are not said again after the end", async () => {
      subscribes(topic);
      claims.publish(Uint8Array.of(7));
      claims.stop();
      await pass(60_000);
      expect(published).toEqual([7]);
    });
  });

  it("are refused where they are too long", () => {
    expect(judge(neighbour, neighbour, 70_000)).toBe(TopicValidatorResult.Reject);
  });

  it("are heard no more of a member that floods, while its neighbour's others are", async () => {
    const other = await newPeerId();
    const verdicts = Array.from({ length: 400 }, () => judge(neighbour, neighbour));
    expect(verdicts.at(0)).toBe(TopicValidatorResult.Accept);
    expect(verdicts.at(-1)).toBe(TopicValidatorResult.Ignore);
    expect(judge(neighbour, other)).toBe(TopicValidatorResult.Accept);
  });

  it("are heard as much after the machine's clock was set back", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(judge(neighbour, neighbour)).toBe(TopicValidatorResult.Accept);
    vi.setSystemTime(Date.now() - 3_600_000);
    const verdicts = Array.from({ length: 400 }, () => {
      nowMs += 1_000;
      return judge(neighbour, neighbour);
    });
    expect(new Set(verdicts)).toEqual(new Set([TopicValidatorResult.Accept]));
  });

  it("are heard no more of a neighbour that signs a flood with ever new keys", async () => {
    const signers = await Promise.all(Array.from({ length: 40 }, newPeerId));
    const verdicts = signers.flatMap((signer) =>
      Array.from({ length: 200 }, () => judge(neighbour, signer)),
    );
    expect(verdicts.at(0)).toBe(TopicValidatorResult.Accept);
    expect(verdicts.at(-1)).toBe(TopicValidatorResult.Ignore);
  });
});
