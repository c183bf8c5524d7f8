import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

it("refuses in the form of all refusals what comes as it stops", async () => {
  const api = fakePeerApi(new FakePeerControl());
  await api.start();
  onTestFinished(() => api.stop());
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await once(socket, "data");
  // The connection is in use when the API begins to stop.
  socket.write("GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  await fetch(`${api.url}/healthz`);
  const stopped = api.stop();
  socket.write("\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
    error: { code: "PEER_STOPPED", message: "this peer stops, and takes nothing any more" },
  });
  await stopped;
});
