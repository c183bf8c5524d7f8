import { TopicValidatorResult, type GossipSub, type Message } from "@libp2p/gossipsub";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { PeerId } from "@libp2p/interface";
import { privateKeyFromProtobuf } from "@libp2p/crypto/keys";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Claims } from "../../../src/adapters/libp2p/claims.ts";
import { newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";

const topic = "claims";

async function newPeerId(): Promise<PeerId> {
  return peerIdFromPrivateKey(privateKeyFromProtobuf(await newPeerKey()));
}

describe("claims", () => {
  let greeted: PeerId;
  let nowMs: number;
  let judge: (neighbour: PeerId, from: PeerId, bytes?: number) => TopicValidatorResult;

  beforeEach(async () => {
    greeted = await newPeerId();
    nowMs = 1_000_000;
    const pubsub = Object.assign(new EventTarget(), {
      topicValidators: new Map(),
      subscribe: () => undefined,
    }) as unknown as GossipSub;
    const fail = (error: unknown): never => {
      throw error instanceof Error ? error : new Error(String(error));
    };
    const isGreeted = (neighbour: string): boolean => neighbour === greeted.toString();
    new Claims(pubsub, topic, fail, fail, isGreeted, () => nowMs).start();
    judge = (neighbour, from, bytes = 100) => {
      const message = { type: "signed", topic, from, data: new Uint8Array(bytes) } as Message;
      const verdict = pubsub.topicValidators.get(topic)?.(neighbour, message);
      if (typeof verdict !== "string") throw new Error("no verdict at once");
      return verdict;
    };
  });

  it("are heard through neighbours that have greeted alone", async () => {
    const stranger = await newPeerId();
    expect(judge(greeted, stranger)).toBe(TopicValidatorResult.Accept);
    expect(judge(stranger, stranger)).toBe(TopicValidatorResult.Ignore);
  });

  it("are refused where they are too long", () => {
    expect(judge(greeted, greeted, 70_000)).toBe(TopicValidatorResult.Reject);
  });

  it("are heard no more of a member that floods, while its neighbour's others are", async () => {
    const other = await newPeerId();
    const verdicts = Array.from({ length: 400 }, () => judge(greeted, greeted));
    expect(verdicts.at(0)).toBe(TopicValidatorResult.Accept);
    expect(verdicts.at(-1)).toBe(TopicValidatorResult.Ignore);
    expect(judge(greeted, other)).toBe(TopicValidatorResult.Accept);
  });

  it("are heard as much after the machine's clock was set back", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(judge(greeted, greeted)).toBe(TopicValidatorResult.Accept);
    vi.setSystemTime(Date.now() - 3_600_000);
    const verdicts = Array.from({ length: 400 }, () => {
      nowMs += 1_000;
      return judge(greeted, greeted);
    });
    expect(new Set(verdicts)).toEqual(new Set([TopicValidatorResult.Accept]));
  });

  it("are heard no more of a neighbour that signs a flood with ever new keys", async () => {
    const signers = await Promise.all(Array.from({ length: 40 }, newPeerId));
    const verdicts = signers.flatMap((signer) =>
      Array.from({ length: 200 }, () => judge(greeted, signer)),
    );
    expect(verdicts.at(0)).toBe(TopicValidatorResult.Accept);
    expect(verdicts.at(-1)).toBe(TopicValidatorResult.Ignore);
  });
});
