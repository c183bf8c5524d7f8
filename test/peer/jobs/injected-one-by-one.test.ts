import { expect, it, vi } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const job = "one-by-one" as JobId;

it("prepares all hosts anew when an injection changes its job, and not for seeds alone", async () => {
  const machine = new VirtualPeer(() => htmlPage());
  const looks = vi.spyOn(Frontier.prototype, "jobsChanged");
  await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await peer.inject(job, ["http://a.example/"], { depthMax: 3 });
      looks.mockClear();
      await peer.inject(job, ["http://b.example/"], { depthMax: 3 });
      await peer.inject(job, ["http://c.example/"]);
      expect(looks).not.toHaveBeenCalled();
      await peer.inject(job, ["http://d.example/"], { depthMax: 4 });
      expect(looks).toHaveBeenCalledTimes(1);
      await peer.jobFinished(job, new AbortController().signal);
      expect(peer.job(job).counts).toMatchObject({ pages: 4, queued: 0 });
    })(),
  );
  looks.mockRestore();
});
