import { multiaddr } from "@multiformats/multiaddr";
import { expect, it } from "vitest";
import { newPlainNode } from "./plain-node.ts";

it("asks the DNS for no list of addresses that somebody names", async () => {
  const node = await newPlainNode([]);
  await node.start();
  const dial = node.dial(multiaddr("/dnsaddr/lists.invalid"));
  await expect(dial).rejects.toThrow("no valid addresses");
  await node.stop();
});
