import { expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const never = new AbortController().signal;

it("tells of a URL that was given up for its robots.txt that it was not asked for", async () => {
  const lost = "http://lost.example/";
  const broken = "http://broken.example/";
  const nowhere = "http://nowhere.example/";
  const machine = new VirtualPeer((url) => {
    if (url === "http://lost.example/robots.txt" || url === broken) {
      return { failure: "connection-reset" };
    }
    if (url.startsWith(nowhere)) return { failure: "dns-not-found" };
    return url.endsWith("/robots.txt") ? { status: 404 } : htmlPage();
  });
  await machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await machine.inject([lost, broken, nowhere]);
      await peer.jobFinished(testJob, never);
      expect(await peer.status([lost, broken, nowhere])).toMatchObject([
        {
          state: "done",
          attempts: 0,
          reason: "connection-reset",
          detail:
            "The URL was not asked for, since robots.txt could not be had: the server closed the connection before the response was complete.",
        },
        {
          state: "done",
          attempts: 3,
          reason: "connection-reset",
          detail: "The server closed the connection before the response was complete.",
        },
        { attempts: 0, reason: "dns-not-found", detail: "The host's name does not exist." },
      ]);
    })(),
  );
  expect(machine.web.counts().get(lost)).toBeUndefined();
});
