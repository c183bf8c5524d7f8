import { execFile } from "node:child_process";

/** A machine of a {@link TestNetwork}: a network namespace with a loopback of its own. */
export interface TestHost {
  /** The namespace's name. */
  readonly name: string;
  /** Its address in the network that can be cut. */
  readonly address: string;
  /** Its address in the network that is never cut. */
  readonly openAddress: string;
  /** Command that runs another one on this machine, and becomes it. */
  readonly within: readonly string[];
}

/** A machine that is in the open network alone, with a block of addresses to serve at. */
export type ServingHost = Omit<TestHost, "address">;

/** First number of the addresses that the serving machine answers to: 10.1.0.0/16. */
export const servedBlock = 10;
const served = "10.1.0.0/16";

/** Machines that have a place in a /24 beside the serving one and the test. */
const hostsMax = 200;
const serverPlace = 253;
const testPlace = 254;

/** The test itself is in the open networks of all files that run beside this one: each has a subnet of its own. */
const subnet = Number(process.env["VITEST_POOL_ID"]);

/** The bridges of the network that can be cut. */
type Side = "west" | "east";

/** A machine's interfaces. */
type Face = "peers" | "open";

/**
 * Machines on a table: network namespaces, and cables between them that can be cut.
 *
 * Each machine is on two networks. The cuttable one, 10.200.N.0/24, is between the machines and has their default route, as a
 * local network has; its ports are at one bridge, and those of the machines that are cut off at another one, so that packets
 * are lost without a word. The open one, 10.201.N.0/24, leads from each machine to the serving one and to the test, and never
 * from machine to machine: its ports are isolated from one another. It stands for the web, which a cut between peers leaves as
 * it is.
 *
 * Needs root and iproute2. All names begin with a prefix of this process.
 */
export class TestNetwork {
  readonly hosts: readonly TestHost[];
  readonly server: ServingHost;
  readonly #prefix: string;

  private constructor(prefix: string, hostCount: number) {
    this.#prefix = prefix;
    this.hosts = Array.from({ length: hostCount }, (_, at) => ({
      ...hostAt(prefix, String(at + 1), at + 1),
      address: `10.200.${subnet}.${at + 1}`,
    }));
    this.server = hostAt(prefix, "web", serverPlace);
  }

  /** Sets up so many machines that all reach one another. What was made is gone again where that fails. */
  static async open(hostCount: number): Promise<TestNetwork> {
    if (hostCount > hostsMax) throw new RangeError(`at most ${hostsMax} machines`);
    const network = new TestNetwork(`ow${process.pid}`, hostCount);
    try {
      await network.#open();
    } catch (error) {
      await network.close().catch(() => undefined);
      throw error;
    }
    return network;
  }

  /** Cuts these machines off from all others; they go on reaching one another. */
  async cut(hosts: readonly TestHost[]): Promise<void> {
    await this.#plug(hosts, "east");
  }

  /** Undoes all cuts between machines. */
  async heal(): Promise<void> {
    await this.#plug(this.hosts, "west");
  }

  /** Cuts the serving machine off from all others. */
  async cutServer(): Promise<void> {
    await ip(["link", "set", portOf(this.server, "open"), "nomaster"]);
  }

  /** Undoes that. */
  async healServer(): Promise<void> {
    await ip(["link", "set", portOf(this.server, "open"), "master", `${this.#prefix}-open`]);
  }

  /** Removes everything again; fails where something is left. Processes in the machines must have ended. Idempotent. */
  async close(): Promise<void> {
    const links = (await ip(["-brief", "link"])).match(this.#ownNames()) ?? [];
    const names = (await ip(["netns", "list"])).match(this.#ownNames()) ?? [];
    await ip(
      ["-force", "-batch", "-"],
      [
        ...names.map((name) => `netns delete ${name}`),
        ...links.map((link) => `link delete ${link}`),
      ],
    ).catch(() => undefined);
    const left = (await ip(["-brief", "link"])) + (await ip(["netns", "list"]));
    const found = left.match(this.#ownNames());
    if (found !== null) throw new Error(`not removed: ${found.join(", ")}`);
  }

  async #open(): Promise<void> {
    const prefix = this.#prefix;
    const bridges = ["west", "east", "open"].map((bridge) => `${prefix}-${bridge}`);
    await ip(
      ["-batch", "-"],
      [
        ...bridges.map((bridge) => `link add ${bridge} type bridge`),
        ...bridges.map((bridge) => `link set ${bridge} up`),
        `address add 10.201.${subnet}.${testPlace}/24 dev ${prefix}-open`,
        ...this.hosts.flatMap((host) => [
          `netns add ${host.name}`,
          ...this.#cable(host, "peers", "west"),
          ...this.#cable(host, "open", "open"),
          `link set ${portOf(host, "open")} type bridge_slave isolated on`,
        ]),
        `netns add ${this.server.name}`,
        ...this.#cable(this.server, "open", "open"),
      ],
    );
    for (const { name, address, openAddress } of this.hosts) {
      await ip(
        ["-netns", name, "-batch", "-"],
        [
          ...configured("peers", address),
          ...configured("open", openAddress),
          `route add ${served} via ${this.server.openAddress}`,
          "route add default dev peers",
        ],
      );
    }
    await ip(
      ["-netns", this.server.name, "-batch", "-"],
      [...configured("open", this.server.openAddress), `route add local ${served} dev lo`],
    );
  }

  /** A cable from a machine's interface to a bridge. */
  #cable(host: ServingHost, face: Face, bridge: Side | "open"): string[] {
    const port = portOf(host, face);
    return [
      `link add ${port} type veth peer name ${face} netns ${host.name}`,
      `link set ${port} master ${this.#prefix}-${bridge} up`,
    ];
  }

  async #plug(hosts: readonly TestHost[], side: Side): Promise<void> {
    const bridge = `${this.#prefix}-${side}`;
    await ip(
      ["-batch", "-"],
      hosts.map((host) => `link set ${portOf(host, "peers")} master ${bridge}`),
    );
  }

  /** Names of this network's links or namespaces in a listing, one line each. */
  #ownNames(): RegExp {
    return new RegExp(`^${this.#prefix}-[a-z0-9-]+`, "gm");
  }
}

function hostAt(prefix: string, label: string, place: number): ServingHost {
  const name = `${prefix}-${label}`;
  return {
    name,
    openAddress: `10.201.${subnet}.${place}`,
    within: ["ip", "netns", "exec", name],
  };
}

/** The bridge's end of a cable; a link's name has at most 15 characters. */
function portOf(host: ServingHost, face: Face): string {
  return `${host.name}-${face.slice(0, 1)}`;
}

function configured(face: Face, address: string): string[] {
  return ["link set lo up", `address add ${address}/24 dev ${face}`, `link set ${face} up`];
}

/** Runs iproute2's `ip`, with these lines to read; resolves with what it prints. */
function ip(words: readonly string[], lines: readonly string[] = []): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile("ip", words, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`ip ${words.join(" ")}: ${stderr || error.message}`, { cause: error }));
    });
    // Where the command is missing, its end says so.
    child.stdin?.on("error", () => undefined).end(lines.map((line) => `${line}\n`).join(""));
  });
}
