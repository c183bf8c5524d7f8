import { it } from "vitest";
import { echo, expectService, newSwarmKey } from "./expect-service.ts";
import { LoopbackPlace } from "./loopback-place.ts";

it("members of a swarm with a key say long things to each other", async () => {
  const swarmKey = newSwarmKey();
  const place = new LoopbackPlace();
  await place.run(async () => {
    const member = await echo(place, swarmKey);
    const expectOne = (): Promise<void> => expectService(place, member, swarmKey);
    await Promise.all([expectOne(), expectOne(), expectOne()]);
  });
});
