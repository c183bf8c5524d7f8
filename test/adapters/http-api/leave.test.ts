import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

let asked: PromiseWithResolvers<void>;
let handedOver: PromiseWithResolvers<boolean>;
let api: HttpApi;
/** In its order: the peer is asked for its id, which is in the answer, and to leave. */
let done: string[];

beforeEach(async () => {
  done = [];
  asked = Promise.withResolvers();
  handedOver = Promise.withResolvers();
  const leave = (): Promise<boolean> => {
    done.push("leaves");
    asked.resolve();
    return handedOver.promise;
  };
  const control = new FakePeerControl();
  const answer = (): string => {
    done.push("answers");
    return "peer-0";
  };
  Object.defineProperty(control, "peerId", { get: answer });
  api = fakePeerApi(control, { leave });
  await api.start();
});

afterEach(() => api.stop());

async function leave(query = "") {
  const response = await fetch(`${api.url}/v1/leave${query}`, { method: "POST" });
  return { status: response.status, body: await response.json() };
}

const leaving = { leaving: true, peer: "peer-0", pid: process.pid };

describe("HttpApi, asked to leave", () => {
  it("answers first and leaves then", async () => {
    expect(await leave()).toEqual({ status: 202, body: leaving });
    await asked.promise;
    expect(done).toEqual(["answers", "leaves"]);
  });

  it.each([true, false])("says to who waits whether all was handed over: %s", async (whole) => {
    const waiting = leave("?wait");
    await asked.promise;
    handedOver.resolve(whole);
    expect(await waiting).toEqual({ status: 202, body: { ...leaving, handedOver: whole } });
  });

  it("does not say so where it stops for another reason meanwhile", async () => {
    const waiting = leave("?wait");
    await asked.promise;
    await api.stop();
    expect(await waiting).toEqual({ status: 202, body: leaving });
  });
});
