import { expect, it } from "vitest";
import { Gatekeeper } from "../../../src/adapters/libp2p/gatekeeper.ts";
import type { Violation } from "../../../src/adapters/libp2p/incoming-stream.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { ConsoleLogger } from "../../../src/adapters/system/console-logger.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import type { MemberId } from "../../../src/core/units.ts";

it("counts each kind of offence in the metrics of a running peer", async () => {
  const clock = new SystemClock();
  const metrics = new PrometheusMetrics();
  const logger = new ConsoleLogger({ level: "silent", format: "text" }, clock);
  const gatekeeper = new Gatekeeper({ logger, metrics, clock });
  const violations: Violation[] = ["malformed", "oversized", "unexpected", "flood"];
  for (const violation of violations) gatekeeper.violated("peer" as MemberId, violation);
  const text = await metrics.text();
  for (const violation of violations) {
    expect(text).toContain(`orbweaver_overlay_violations_total{reason="${violation}"} 1\n`);
  }
});
