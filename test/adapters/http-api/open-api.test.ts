import { lookup } from "node:dns/promises";
import { expect, it } from "vitest";
import type { LogFields, Logger } from "../../../src/ports/logger.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

it("warns of an API that other machines reach by the address that was given", async () => {
  const warnings: [string, LogFields | undefined][] = [];
  const silent = (): void => undefined;
  const warn: Logger["warn"] = (event, fields) => void warnings.push([event, fields]);
  const logger: Logger = { debug: silent, info: silent, warn, error: silent };
  const api = fakePeerApi(new FakePeerControl(), { logger }, { host: "0.0.0.0" });
  await api.start();
  const port = Number(new URL(api.url).port);
  await api.stop();
  const detail =
    "whoever reaches it can command the peer; listen to 127.0.0.1 unless that is meant";
  expect(warnings).toEqual([["api-open-to-other-machines", { host: "0.0.0.0", port, detail }]]);
});

// Tells something only where the name has two addresses.
it("listens to one address of localhost, the one that it tells", async () => {
  const addresses = await lookup("localhost", { all: true });
  const api = fakePeerApi(new FakePeerControl(), {}, { host: "localhost" });
  await api.start();
  const { port } = new URL(api.url);
  const there = addresses.map(({ address, family }) =>
    fetch(`http://${family === 6 ? `[${address}]` : address}:${port}/healthz`).then(
      () => address,
      () => undefined,
    ),
  );
  const answering = (await Promise.all(there)).filter((address) => address !== undefined);
  await api.stop();
  expect(answering).toEqual([new URL(api.url).hostname.replace(/[[\]]/g, "")]);
});
