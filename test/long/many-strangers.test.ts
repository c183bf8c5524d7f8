import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "vitest";
import { echo, expectService, newSwarmKey } from "../adapters/libp2p/expect-service.ts";
import { LoopbackPlace } from "../adapters/libp2p/loopback-place.ts";

const nonceBytes = 24;
/** More than there is room for the ciphers of, were none ever finalized. */
const strangers = 5_200;
const strangersAtOnce = 16;

/** One that has no key comes, from another host each time, and goes. */
async function visit(port: number, index: number): Promise<void> {
  const localAddress = `127.9.${index >> 8}.${index & 255}`;
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  socket.on("error", () => undefined);
  socket.write(randomBytes(nonceBytes));
  await once(socket, "data");
  socket.destroy();
}

it("a member of a swarm with a key can be reached after thousands of connections", async () => {
  const swarmKey = newSwarmKey();
  const place = new LoopbackPlace();
  await place.run(async () => {
    const member = await echo(place, swarmKey);
    const port = Number(member.overlay.addresses[0]?.split("/").at(-1));
    let next = 0;
    const visitSome = async (): Promise<void> => {
      while (next < strangers) await visit(port, (next += 1));
    };
    await Promise.all(Array.from({ length: strangersAtOnce }, visitSome));
    await expectService(place, member, swarmKey);
  });
});
