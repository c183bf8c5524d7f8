import type { GossipSub, GossipSubComponents } from "@libp2p/gossipsub";
import type { RPC } from "@libp2p/gossipsub/message";
import type { PeerId } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { paceGossip } from "../../../src/adapters/libp2p/gossip-pace.ts";
import type { Millis } from "../../../src/core/units.ts";

const neighbour = { toString: () => "neighbour" } as PeerId;

function claims(count: number, bytes = 0): RPC {
  const data = new Uint8Array(bytes);
  const messages = Array.from({ length: count }, (_, n) => ({ topic: `${n}`, data }));
  return { subscriptions: [], messages };
}

/** So many lists of so many ids each. */
function idsOfClaims(lists: number, ids: number): RPC {
  const messageIDs = Array.from({ length: ids }, () => new Uint8Array(1));
  const ihave = Array.from({ length: lists }, () => ({ topicID: "t", messageIDs }));
  return { ...claims(0), control: { ihave, iwant: [], graft: [], prune: [], idontwant: [] } };
}

/** A neighbour's gossip as it is heard, on a clock of the test's own. */
class Bench {
  readonly heard: { readonly rpc: RPC; readonly atMs: Millis; readonly turn: number }[] = [];
  readonly floods: string[] = [];
  /** Claims that gossip's own score of the neighbour was told of as forged. */
  rejected = 0;
  /** What it reads neighbours' streams from. */
  readonly taken: object[] = [];
  isConnected = true;
  /** When the neighbour greets. */
  greetedMs: Millis = 0;
  isForged = false;
  nowMs = 0;
  #turn = 0;
  readonly #take: (stream: object) => void;
  readonly #hear: (rpc: RPC) => Promise<void>;

  constructor() {
    const score: { rejectInvalidMessage(from: string, topic: string): void } = {
      rejectInvalidMessage: () => (this.rejected += 1),
    };
    const pubsub = {
      score,
      createInboundStream: (_from: PeerId, stream: object): void => void this.taken.push(stream),
      decodeRpc: () => claims(0),
      handleReceivedRpc: (_from: PeerId, rpc: RPC): Promise<void> => {
        this.heard.push({ rpc, atMs: this.nowMs, turn: this.#turn });
        const forged = this.isForged ? rpc.messages : [];
        for (const { topic } of forged) score.rejectInvalidMessage(neighbour.toString(), topic);
        return Promise.resolve();
      },
    };
    const connectionManager = {
      getConnections: () => (this.isConnected ? [{}] : []),
    } as unknown as GossipSubComponents["connectionManager"];
    paceGossip(
      () => pubsub as unknown as GossipSub,
      (peer) => this.floods.push(peer.toString()),
      () => this.nowMs >= this.greetedMs,
      {
        nowMs: () => this.nowMs,
        pause: () => {
          this.nowMs += 100;
          return Promise.resolve();
        },
      },
    )({ connectionManager });
    this.#take = (stream) => pubsub.createInboundStream(neighbour, stream);
    this.#hear = (rpc) => pubsub.handleReceivedRpc(neighbour, rpc);
  }

  open(stream: object): void {
    this.#take(stream);
  }

  async hear(rpc: RPC): Promise<void> {
    const count = (): void => {
      this.#turn += 1;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    await this.#hear(rpc).finally(() => clearImmediate(turning));
  }
}

describe("gossip at a bounded pace", () => {
  it("hears a small message as it is, and no larger one", async () => {
    const bench = new Bench();
    const [small, large] = [claims(31), claims(32)];
    await bench.hear(small);
    expect(bench.heard.map((each) => each.rpc)).toEqual([small]);
    expect(bench.heard[0]?.rpc).toBe(small);
    await bench.hear(large);
    expect(bench.heard[1]?.rpc).not.toBe(large);
  });

  it("reads a neighbour's stream as what is read no faster than it is heard", () => {
    const bench = new Bench();
    bench.open(new EventTarget());
    expect(bench.taken.map((stream) => Object.keys(stream))).toEqual([["close", "abort"]]);
  });

  it("hears a large one in several turns, all of it in its order", async () => {
    const bench = new Bench();
    const ids = (count: number): Uint8Array[] =>
      Array.from({ length: count }, () => new Uint8Array(1));
    const rpc: RPC = {
      subscriptions: Array.from({ length: 70 }, (_, n) => ({ topic: `${n}` })),
      messages: claims(70).messages,
      control: {
        ihave: [
          { topicID: "t", messageIDs: ids(1_000) },
          { topicID: "t", messageIDs: ids(10) },
        ],
        iwant: [{ messageIDs: ids(600) }],
        graft: Array.from({ length: 40 }, () => ({ topicID: "t" })),
        prune: Array.from({ length: 40 }, () => ({ topicID: "t", peers: [] })),
        idontwant: [{ messageIDs: ids(600) }],
      },
    };
    await bench.hear(rpc);
    const all = bench.heard.map((each) => each.rpc);
    expect(all.flatMap(({ subscriptions }) => subscriptions)).toEqual(rpc.subscriptions);
    expect(all.flatMap(({ messages }) => messages)).toEqual(rpc.messages);
    for (const kind of ["ihave", "iwant", "graft", "prune", "idontwant"] as const) {
      expect(all.flatMap(({ control }): unknown[] => control?.[kind] ?? [])).toEqual(
        rpc.control?.[kind],
      );
    }
    expect(new Set(bench.heard.map(({ turn }) => turn)).size).toBe(bench.heard.length);
    for (const { subscriptions, messages } of all) {
      expect(subscriptions.length + messages.length).toBeLessThanOrEqual(32);
    }
  });

  it("lets no neighbour be remembered for longer than gossip itself asks for", async () => {
    const bench = new Bench();
    const said = (backoff: number): RPC => ({
      ...claims(0),
      control: {
        ihave: [],
        iwant: [],
        graft: [],
        prune: [{ topicID: "t", peers: [], backoff }],
        idontwant: [],
      },
    });
    for (const seconds of [10, 60, 61, 1e12]) await bench.hear(said(seconds));
    expect(bench.heard.map(({ rpc }) => rpc)).toEqual([10, 60, 60, 60].map(said));
  });

  it("does not hear ids that are longer than any of a claim", async () => {
    const bench = new Bench();
    const [id, long] = [new Uint8Array(128), new Uint8Array(129)];
    const said = (...messageIDs: Uint8Array[]): RPC => ({
      ...claims(0),
      control: {
        ihave: [{ topicID: "t", messageIDs: [...messageIDs] }],
        iwant: [{ messageIDs: [...messageIDs] }],
        graft: [],
        prune: [],
        idontwant: [{ messageIDs: [...messageIDs] }],
      },
    });
    await bench.hear(said(id, long, id));
    expect(bench.heard.map(({ rpc }) => rpc)).toEqual([said(id, id)]);
  });

  it.each([
    ["many claims", claims(5_000), 2],
    ["large claims", claims(16, 1_048_576), 2],
    ["many ids of claims", idsOfClaims(64, 1_000), 1],
    ["one that is too large for a second", claims(1, 64 * 1_048_576), 0],
  ])("lets a neighbour wait that says %s", async (_, rpc, seconds) => {
    const bench = new Bench();
    await bench.hear(rpc);
    expect(bench.heard.flatMap((each) => each.rpc.messages)).toEqual(rpc.messages);
    expect(bench.heard.at(-1)?.atMs).toBe(seconds * 1_000);
    expect(bench.floods).toEqual([]);
  });

  it("tells of a neighbour that passes on forged claims, and hears no more of that message", async () => {
    const bench = new Bench();
    bench.isForged = true;
    await bench.hear(claims(32));
    expect(bench.floods).toEqual([]);
    await bench.hear(claims(320));
    expect(bench.floods).toEqual(["neighbour"]);
    expect(bench.heard).toHaveLength(2);
    expect(bench.rejected).toBe(64);
  });

  it("tells of a neighbour by the thirty-third forged claim in a second, and hears it again later", async () => {
    const bench = new Bench();
    bench.isForged = true;
    for (const count of [32, 1]) await bench.hear(claims(count));
    expect(bench.floods).toEqual(["neighbour"]);
    bench.isForged = false;
    bench.nowMs += 1_000;
    await bench.hear(claims(1));
    expect(bench.floods).toEqual(["neighbour"]);
    expect(bench.heard).toHaveLength(3);
  });

  it("hears a neighbour only when it has greeted", async () => {
    const bench = new Bench();
    bench.greetedMs = 250;
    await bench.hear(claims(1));
    expect(bench.heard.map(({ atMs }) => atMs)).toEqual([300]);
  });

  it("hears nothing of a neighbour that goes without a greeting", async () => {
    const bench = new Bench();
    bench.greetedMs = Infinity;
    bench.isConnected = false;
    await bench.hear(claims(1));
    expect(bench.heard).toEqual([]);
  });

  it("hears nothing of a neighbour that has gone", async () => {
    const bench = new Bench();
    bench.isConnected = false;
    await bench.hear(claims(100));
    expect(bench.heard).toEqual([]);
  });
});
