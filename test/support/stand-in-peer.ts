import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Answers a request for `path`. */
type Answer = (response: ServerResponse, path: string | undefined) => void;

/** A peer that says that it is one, and does with every other request what `answer` does; its address. */
export function peerThat(answer: Answer): Promise<string> {
  const health = JSON.stringify({ status: "ok", peer: "p", pid: 1, version: "1.0.0" });
  return serverThat((response, path) => {
    if (path === "/v1/healthz") response.end(health);
    else answer(response, path);
  });
}

/** A server of whatever kind, which does with every request what `answer` does, until the test ends; its address. */
export async function serverThat(answer: Answer): Promise<string> {
  const server = createServer(({ url }, response) => answer(response, url));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
