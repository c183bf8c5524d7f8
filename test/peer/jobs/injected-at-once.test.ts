import { expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const job = "shared" as JobId;

it("tells each of two who inject at once what its own options have changed", async () => {
  const machine = new VirtualPeer(() => htmlPage());
  await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await peer.inject(job, ["http://a.example/"], { depthMax: 3 });
      const [deeper, slower, plain] = await Promise.all([
        peer.inject(job, ["http://b.example/"], { depthMax: 4 }),
        peer.inject(job, ["http://c.example/"], { delayMs: 2_000 }),
        peer.inject(job, ["http://d.example/"]),
      ]);
      expect(deeper.changed).toEqual([{ option: "depthMax", before: 3, after: 4 }]);
      expect(slower.changed?.map(({ option }) => option)).toEqual(["delayMs"]);
      expect(plain.changed).toEqual([]);
    })(),
  );
});
