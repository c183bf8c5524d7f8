import { expect, it } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { tellSlowStart } from "../../node/slow-start.ts";
import { silentLogger } from "../support/silent-logger.ts";

it("tells of a start's work once it takes long, and then every ten seconds how far it is", async () => {
  const clock = new VirtualClock();
  const logged: unknown[] = [];
  const warn = (event: string, fields: unknown): void => void logged.push([event, fields]);
  const tell = tellSlowStart(clock, { ...silentLogger, warn });
  await clock.run(
    (async () => {
      for (let second = 0; second < 13; second += 1) {
        tell("verifying-database", { bytes: second * 100_000_000, ofBytes: 1_299_500_000 });
        await clock.sleep(1_000);
      }
    })(),
  );
  expect(logged).toEqual([
    ["verifying-database", { doneMB: 200, ofMB: 1_300 }],
    ["verifying-database", { doneMB: 1_200, ofMB: 1_300 }],
  ]);
});
