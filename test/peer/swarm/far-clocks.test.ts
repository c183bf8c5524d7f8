import { expect, it } from "vitest";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { encodeRows } from "../../../src/core/messages/rows.ts";
import { hostAddress, hostKey } from "../../../src/core/record/keys.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { SwarmBench } from "./swarm-bench.ts";

const yearsMs = 10 * 365 * 86_400_000;

it("asks hosts whose rows another member's clock has closed for years", async () => {
  const bench = new SwarmBench(2);
  await bench.run(async () => {
    await bench.begin();
    const nowMs = bench.world.clock.nowMs();
    const farMs = nowMs + yearsMs;
    const hosts = new Set(
      bench.world.sampleWeb.rootUrls().map((url) => hostOf(url as CanonicalUrl)),
    );
    const record = { nextFetchAtMs: farMs, politeUntilMs: farMs, failuresInRow: 0 };
    const rows = [...hosts].map((host) => ({
      key: hostKey("host", hostAddress(siteOfHost(host), host)),
      value: HostRecord.encode({ host, ...record, breakerBuckets: [], jobs: [] }),
    }));
    const payload = encodeRows({ generation: 1, nowMs, rows });
    const to = bench.machine(0).id;
    const request = { to, class: "transfer", kind: messageKinds.rows, payload } as const;
    const { signal } = new AbortController();
    await bench.machine(1).overlay?.request({ ...request, timeoutMs: 5_000 }, signal);
    await bench.inject(0);
    await bench.finished(0);
  });
  expect(bench.urls).toHaveLength(240);
});
