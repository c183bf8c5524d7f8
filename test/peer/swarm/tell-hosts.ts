import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { encodeRows } from "../../../src/core/messages/rows.ts";
import { hostAddress, hostKey } from "../../../src/core/record/host-keys.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import type { HostName } from "../../../src/core/units.ts";
import { siteOfHost } from "../../../src/core/url/site-of.ts";
import type { SwarmBench } from "./swarm-bench.ts";

/** One machine tells another what it says it knows of hosts, as it does of rows that it holds. */
export async function tellHosts(
  bench: SwarmBench,
  { from, to }: { readonly from: number; readonly to: number },
  hosts: readonly HostName[],
  record: Partial<HostRecord>,
): Promise<void> {
  const blank = { nextFetchAtMs: 0, failuresInRow: 0, breakerBuckets: [], jobs: [] };
  const rows = hosts.map((host) => ({
    key: hostKey("host", hostAddress(siteOfHost(host), host)),
    value: HostRecord.encode({ ...blank, ...record, host }),
  }));
  const payload = encodeRows({ generation: 1, nowMs: bench.world.clock.nowMs(), rows });
  const request = { to: bench.machine(to).id, class: "transfer", kind: messageKinds.rows } as const;
  const { signal } = new AbortController();
  const { overlay } = bench.machine(from);
  await overlay?.request({ ...request, payload, timeoutMs: 5_000 }, signal);
}
