import type { Hit } from "../../sim/sample-web/hit-log.ts";
import { readHitLog } from "../../sim/auditor/hit-log-reader.ts";
import type { SampleWeb } from "../../sim/sample-web/sample-web.ts";
import { contact } from "../support/process-bench.ts";
import { startSampleWebProcess } from "../support/sample-web-process.ts";
import { SwarmBench, SwarmPeer } from "../support/swarm-bench.ts";
import { servedBlock, TestNetwork, type TestHost } from "./test-network.ts";

/** A sample web on a machine of its own, which every machine reaches, cut or not. */
export interface NetworkSite {
  readonly web: SampleWeb;
  readonly seeds: readonly string[];
  /** Flags that let a peer crawl it. */
  readonly flags: readonly string[];
  /** Requests so far, but for the last fraction of a second while it serves. */
  hits(): Promise<Hit[]>;
  /** Ends it; the requests stay to be read. Idempotent. */
  stop(): Promise<void>;
}

/** Swarms of real processes on machines of their own, all gone again after `clear()`. */
export class NetworkBench extends SwarmBench {
  async network(hostCount: number): Promise<TestNetwork> {
    const network = await TestNetwork.open(hostCount);
    this.atEnd(() => network.close());
    return network;
  }

  /** Serves a sample web with these knobs. */
  async siteAt(
    { server }: TestNetwork,
    knobs: Readonly<Record<string, number>>,
  ): Promise<NetworkSite> {
    const log = `${await this.directory()}/hits.ndjson`;
    const set = Object.entries({ ...knobs, addressBlock: servedBlock });
    const words = set.flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    const dns = ["--dns-address", server.openAddress];
    const served = await startSampleWebProcess(log, [...words, ...dns], server.within);
    this.atEnd(() => served.stop());
    return {
      web: served.web,
      seeds: served.web.rootUrls(),
      flags: [
        ...["--allow-private", "--contact", contact],
        ...["--dns", `${server.openAddress}:${served.dnsPort}`],
      ],
      async hits() {
        const hits: Hit[] = [];
        for await (const hit of readHitLog(log)) hits.push(hit);
        return hits;
      },
      stop: () => served.stop(),
    };
  }

  /** Starts a peer on a machine, and waits until it is ready; not until it has joined. Its API is open to the test. */
  async memberAt(host: TestHost, words: readonly string[]): Promise<SwarmPeer> {
    const data = await this.directory();
    const flags = ["--api", `${host.openAddress}:0`, ...words];
    return new SwarmPeer(data, await this.peer(data, flags, { within: host.within }));
  }
}
