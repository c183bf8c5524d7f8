import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ContentPlaces } from "../../../src/adapters/http-api/content-places.ts";
import type { ArchivedResponse } from "../../../src/ports/archive.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

const contentsMax = 2;

/** More than the buffers of two sockets have room for. */
const bodyBytes = 32 * 1_024 * 1_024;

/** Has a long body of every page, and remembers when it was asked for one. */
class LongPages extends FakePeerControl {
  readonly events: string[] = [];
  readonly #body = new Uint8Array(bodyBytes);

  override content(url: string): Promise<ArchivedResponse> {
    this.events.push(`asked for ${url}`);
    return Promise.resolve({
      url,
      status: 200,
      statusLine: "HTTP/1.1 200 OK",
      headers: ["Content-Type", "text/plain"],
      body: this.#body,
      fetchedAtMs: 0,
      truncated: false,
    });
  }

  override status(): Promise<UrlStatus[]> {
    this.asked.resolve(undefined);
    return Promise.resolve([]);
  }
}

function get(path: string, page: string): string {
  return `GET /v1/${path}?url=${page} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
}

it("holds no more bodies than it has places for, however slowly they are read", async () => {
  const control = new LongPages();
  const api = fakePeerApi(control, {}, { contentsMax });
  await api.start();
  onTestFinished(() => api.stop());
  const ask = async (questions: string): Promise<Socket> => {
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(questions);
    return socket;
  };
  const slow = await ask(get("content", "a"));
  await once(slow, "readable");
  await once(await ask(get("content", "b")), "readable");
  const third = await ask(get("content", "c") + get("status", "c"));
  // The question behind it has come, so it has too.
  await control.asked.promise;
  control.events.push("the first is gone");
  slow.destroy();
  await once(third, "readable");
  expect(control.events).toEqual([
    "asked for a",
    "asked for b",
    "the first is gone",
    "asked for c",
  ]);
});

it("passes over who is gone when a place is free again", async () => {
  const places = new ContentPlaces(1);
  const first = new AbortController();
  const second = new AbortController();
  const third = new AbortController();
  await places.take(first.signal);
  const gone = places.take(second.signal);
  const next = places.take(third.signal);
  second.abort(new Error("gone"));
  await expect(gone).rejects.toThrow("gone");
  first.abort();
  await next;
  third.abort();
  await places.take(new AbortController().signal);
});

it("gives no place to one that was gone before it asked, and keeps none for it", async () => {
  const places = new ContentPlaces(1);
  const gone = new Error("gone");
  await expect(places.take(AbortSignal.abort(gone))).rejects.toThrow(gone);
  await places.take(new AbortController().signal);
});

it("has the place back of one that is gone in the moment that its turn comes", async () => {
  const places = new ContentPlaces(1);
  const [first, second, third] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ];
  await places.take(first.signal);
  const gone = places.take(second.signal);
  const next = places.take(third.signal);
  // As the answers on one connection end, when it breaks.
  first.abort();
  second.abort(new Error("gone"));
  await expect(gone).rejects.toThrow("gone");
  await next;
});
