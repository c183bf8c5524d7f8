import { describe, expect, it } from "vitest";
import { encodeHostQuestion } from "../../../../src/core/messages/host-message.ts";
import { messageKinds, type MessageKind } from "../../../../src/core/messages/message-kinds.ts";
import { encodeListQuestion } from "../../../../src/core/messages/list-message.ts";
import { encodeStatsQuestion } from "../../../../src/core/messages/stats-message.ts";
import { encodeStatusQuestion } from "../../../../src/core/messages/status-message.ts";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import type { HostName, JobId, MemberId } from "../../../../src/core/units.ts";
import { readsMax, serveQuestions } from "../../../../src/peer/swarm/answers/question-handlers.ts";
import type { InTurn } from "../../../../src/core/fair-slots.ts";
import type { OverlayHandler } from "../../../../src/ports/overlay.ts";

const status = encodeStatusQuestion({ urls: [], fromCopy: false });
const host = encodeHostQuestion({ host: "a.example" as HostName, fromCopy: false });
const list = encodeListQuestion({
  job: "news" as JobId,
  filter: {},
  from: tagRange("url").gte,
  count: 1,
});
const stats = encodeStatsQuestion({ past: [] });

/** A member that is asked, and whose database, and event loop, get on when they are told to. */
class Asked {
  readonly begun: string[] = [];
  readonly #handlers = new Map<number, OverlayHandler>();
  readonly #ends: (() => void)[] = [];

  constructor() {
    const serve = (kind: number, handler: OverlayHandler): void => {
      this.#handlers.set(kind, handler);
    };
    const read = async (kind: string): Promise<object> => {
      this.begun.push(kind);
      await this.#turn();
      return { jobs: 0, answers: [] };
    };
    const held = {
      status: (_: unknown, inTurn: InTurn) => inTurn(() => read("status")),
      host: () => read("host"),
      list: () => read("list"),
    };
    const figures = {
      answer: () => {
        this.begun.push("stats");
        return {};
      },
    };
    const parts = { held, figures } as unknown as Parameters<typeof serveQuestions>[2];
    serveQuestions({ serve } as never, { sleep: () => this.#turn() }, parts);
  }

  ask(kind: MessageKind, payload: Uint8Array, from = "one"): void {
    void this.#handlers.get(messageKinds[kind])?.(from as MemberId, payload);
  }

  async endOldest(): Promise<void> {
    this.#ends.shift()?.();
    await new Promise(setImmediate);
  }

  #turn(): Promise<undefined> {
    return new Promise((resolve) => this.#ends.push(() => resolve(undefined)));
  }
}

describe("questions of other members", () => {
  it("are answered so many at a time, and of each member in turn", async () => {
    const asked = new Asked();
    for (let count = 0; count < readsMax + 4; count += 1) asked.ask("status", status);
    asked.ask("list", list, "other");
    await new Promise(setImmediate);
    expect(asked.begun).toEqual(Array.from({ length: readsMax }, () => "status"));
    await asked.endOldest();
    await asked.endOldest();
    expect(asked.begun.slice(readsMax).sort()).toEqual(["list", "status"]);
  });

  it("about a host, which may say that it is to be left alone, do not wait for those about URLs", async () => {
    const asked = new Asked();
    for (let count = 0; count < readsMax + 32; count += 1) asked.ask("status", status);
    for (let count = 0; count < readsMax + 4; count += 1) asked.ask("host", host);
    await new Promise(setImmediate);
    const hosts = Array.from({ length: readsMax }, () => "host");
    expect(asked.begun.slice(readsMax)).toEqual(hosts);
  });

  it("for figures are answered one in a turn of the event loop", async () => {
    const asked = new Asked();
    for (let count = 0; count < 3; count += 1) asked.ask("stats", stats);
    await new Promise(setImmediate);
    expect(asked.begun).toEqual(["stats"]);
    await asked.endOldest();
    expect(asked.begun).toEqual(["stats", "stats"]);
  });
});
