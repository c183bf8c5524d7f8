/**
 * Runs the sample web as a process of its own: `node dist/sample-web.js --sites 200 --log hits.ndjson --json`.
 *
 * Prints one line when it serves (with `--json` one JSON document), and ends on SIGINT or SIGTERM, or when standard
 * input ends under `--with-parent`, so that it never outlives the program that started it.
 */
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

import { defaultSampleDnsOptions, SampleDns } from "./sample-dns.ts";
import { withFittingAddresses } from "./fitting-addresses.ts";
import { SampleServer } from "./sample-server.ts";
import { sampleWebOptionsFrom } from "./sample-web-arguments.ts";

const usage = `usage: sample-web.js [--preset default|plain] [--sites N] [--pages N] [--seed N] [--addresses]
       [--set NAME=VALUE ...] [--port N] [--dns-port N] [--dns-address A] [--no-dns]
       [--log FILE] [--with-parent] [--json]
  --set takes any knob of the sample web, for instance --set bytesPerPage=8192 --set shares.missing=0.1
`;

const flags = {
  preset: { type: "string", default: "default" },
  sites: { type: "string" },
  pages: { type: "string" },
  seed: { type: "string" },
  addresses: { type: "boolean", default: false },
  set: { type: "string", multiple: true, default: [] as string[] },
  port: { type: "string", default: "0" },
  "dns-port": { type: "string", default: "0" },
  "dns-address": { type: "string", default: defaultSampleDnsOptions.address },
  "no-dns": { type: "boolean", default: false },
  log: { type: "string" },
  "with-parent": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

await run().catch((error: unknown) => {
  const [exitCode, line] = mishapOf(error) ?? [];
  if (line === undefined) throw error;
  process.stderr.write(`sample-web: ${line}\n`);
  process.exitCode = exitCode;
});

/** What the user or the system did, with the exit code it makes; nothing for a bug. */
function mishapOf(error: unknown): readonly [exitCode: number, line: string] | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & Partial<AddressInfo>;
  if (code?.startsWith("ERR_PARSE_ARGS") === true) {
    // What follows the first sentence is about arguments that begin with a dash.
    const [problem = ""] = error.message.split(/[.\n]/, 1);
    return [2, `${problem}; --help lists what there is`];
  }
  if (error instanceof RangeError) return [2, error.message];
  if (syscall === undefined) return undefined;
  if (code !== "EADDRINUSE") return [1, error.message];
  return [1, `port ${port ?? "?"} of ${address ?? "?"} is in use; name another one`];
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: flags });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const options = await withFittingAddresses(sampleWebOptionsFrom(values));
  const logFile = values.log;
  const server = await SampleServer.start(options, {
    port: Number(values.port),
    keepHits: false,
    ...(logFile === undefined ? {} : { logFile }),
  });
  const dns = values["no-dns"] ? undefined : await startDns(server, values);
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    process.stdin.destroy();
    void Promise.all([server.stop(), dns?.stop()]);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  if (values["with-parent"]) process.stdin.resume().once("end", stop).once("error", stop);
  const ready = {
    port: server.port,
    dnsPort: dns?.port,
    sites: options.sites,
    hosts: server.web.names.hostCount,
    addresses: server.web.names.addresses().length,
    pages: server.web.layout.pageCount,
    firstRoot: server.web.rootUrl(0),
    pid: process.pid,
    options,
  };
  const words = `${ready.pages} pages of ${ready.sites} sites at ${ready.firstRoot}, names from ${values["dns-address"]}:${ready.dnsPort ?? "-"}`;
  process.stdout.write(`${values.json ? JSON.stringify(ready) : words}\n`);
}

/** The name server of the web; where it cannot start, `server` is stopped. */
async function startDns(
  server: SampleServer,
  given: { readonly "dns-address": string; readonly "dns-port": string },
): Promise<SampleDns> {
  try {
    const port = Number(given["dns-port"]);
    return await SampleDns.start(server.web, { address: given["dns-address"], port });
  } catch (error) {
    await server.stop();
    throw error;
  }
}
