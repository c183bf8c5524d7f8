/**
 * How many URLs a second one peer passes on to the other, alone.
 *
 *   node test/bench/swarm/forwarding.ts [--urls 300000] [--sites 1000] [--at-once 5] [--known 0] [--replicas 2]
 *     [--json]
 *
 * A swarm of two real peers over loopback, and a job that is paused, so that nothing is fetched. One of them is given URLs of
 * sites that the other one owns, some calls of 10,000 at once; a call is answered when all of its URLs are on the owner's
 * disk and on that of the member with the copy, which is the one that sent them.
 *
 * What a crawl passes on is known to its owner more often than not: of so many in a hundred as `--known` says the owner has
 * been told before. With `--known 100 --replicas 1` nothing is admitted or copied, and what is left is the way alone.
 */
import { injectUrlsMax, statusUrlsMax } from "../../../src/ports/peer-control.ts";
import { runBenchmark, say } from "./bench-run.ts";
import type { BenchPeer } from "./bench-swarm.ts";

const job = "forwarding";
/** Both directions are warm by then. */
const warmUpUrls = 20_000;

const flags = { urls: 300_000, sites: 1_000, "at-once": 5, known: 0, replicas: 2 };

await runBenchmark({
  name: "forwarding",
  flags,
  run: async (bench, { urls: count, sites, "at-once": atOnce, known, replicas }) => {
    const words = ["--allow-private", "--replicas", String(replicas)];
    const peers = await bench.startSwarm(2, words);
    const [sender, receiver] = peers;
    if (sender === undefined || receiver === undefined) throw new RangeError("two peers");
    await sender.inject(job, ["http://seed.example/"], { scope: "page", delayMs: 3_600_000 });
    await sender.post(`/jobs/${job}/pause`);
    const hosts = await hostsOf(receiver, sender, sites);
    await inject(sender, hosts, { from: 0, to: warmUpUrls }, atOnce);
    const knownUrls = Math.round((count * known) / 100);
    await inject(receiver, hosts, { from: warmUpUrls, to: warmUpUrls + knownUrls }, atOnce);
    say(`warm; ${hosts.length} sites of the other peer, which knows ${knownUrls} URLs`);

    const before = await figuresOf(sender, receiver);
    const startedAtMs = performance.now();
    await inject(sender, hosts, { from: warmUpUrls, to: warmUpUrls + count }, atOnce);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const after = await figuresOf(sender, receiver);
    const forwarded = after.forwarded - before.forwarded;
    const cpu = [after.senderCpu - before.senderCpu, after.receiverCpu - before.receiverCpu];
    const [senderCpu = 0, receiverCpu = 0] = cpu;
    return {
      about: `${count} URLs of ${hosts.length} sites from one peer to the other, which knows ${known}% of them, ${replicas} copies, ${atOnce} calls of ${injectUrlsMax} at once`,
      figures: [
        {
          name: "forwarded and acknowledged",
          value: forwarded / seconds,
          unit: "URLs/s",
          wanted: { least: 50_000 },
        },
        {
          name: "URLs in a message",
          value: forwarded / (after.messages - before.messages),
          unit: "",
          wanted: { least: 100 },
        },
        { name: "sender", value: (1e6 * senderCpu) / forwarded, unit: "us of processor a URL" },
        { name: "receiver", value: (1e6 * receiverCpu) / forwarded, unit: "us of processor a URL" },
        {
          name: "both, while it lasted",
          value: (senderCpu + receiverCpu) / seconds,
          unit: "cores",
        },
        {
          name: "not new at the owner",
          value: count - (after.admitted - before.admitted),
          unit: "",
        },
      ],
    };
  },
});

interface Counters {
  readonly forwarded: number;
  readonly messages: number;
  readonly admitted: number;
  readonly senderCpu: number;
  readonly receiverCpu: number;
}

async function figuresOf(sender: BenchPeer, receiver: BenchPeer): Promise<Counters> {
  return {
    forwarded: await sender.metric("forwarded_urls_total"),
    messages: await sender.metric("forward_message_urls_count"),
    admitted: await receiver.metric("admitted_urls_total"),
    senderCpu: sender.cpuSeconds(),
    receiverCpu: receiver.cpuSeconds(),
  };
}

/** So many hosts whose sites this owner has. */
async function hostsOf(owner: BenchPeer, asked: BenchPeer, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; found.length < count; at += statusUrlsMax) {
    const hosts = Array.from({ length: statusUrlsMax }, (_, n) => `www.site-${at + n}.example`);
    const owners = await asked.ownersOf(
      hosts.map((host) => `http://${host}/`),
      job,
    );
    found.push(...hosts.filter((_, n) => owners[n] === owner.id));
  }
  return found.slice(0, count);
}

/** Injects pages `from` to `to`, which take turns with the hosts. */
async function inject(
  peer: BenchPeer,
  hosts: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  atOnce: number,
): Promise<void> {
  let next = from;
  const one = async (): Promise<void> => {
    while (next < to) {
      const start = next;
      next = Math.min(to, start + injectUrlsMax);
      const urls = Array.from({ length: next - start }, (_, n) => {
        const page = start + n;
        return `http://${hosts[page % hosts.length] ?? ""}/section-${page % 7}/page-${page}.html`;
      });
      await peer.inject(job, urls);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
