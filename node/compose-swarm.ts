import { lstat, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, errorText } from "../src/core/errors.ts";
import { readable, readAddress, toMultiaddr } from "../src/adapters/libp2p/address.ts";
import { Libp2pOverlay } from "../src/adapters/libp2p/libp2p-overlay.ts";
import { isReachable } from "../src/adapters/libp2p/overlay-options.ts";
import { parseSwarmKey } from "../src/adapters/libp2p/swarm-key.ts";
import {
  lanMembership,
  localMembership,
  wanMembership,
  type MembershipOptions,
} from "../src/core/membership/membership-options.ts";
import { addressCharactersMax, addressesMax } from "../src/core/membership/read-member.ts";
import { clusterFingerprint } from "../src/peer/swarm/members/cluster-fingerprint.ts";
import { defaultClusterOptions } from "../src/peer/swarm/cluster-options.ts";
import { defaultSwarmOptions, type SwarmOptions } from "../src/peer/swarm/swarm-options.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Logger } from "../src/ports/logger.ts";
import type { Metrics } from "../src/ports/metrics.ts";
import type { Overlay } from "../src/ports/overlay.ts";
import type { MemberReport } from "../src/ports/peer-control.ts";
import type { DataLayout, SwarmConfig } from "./config/peer-config.ts";
import type { MembershipPreset } from "./config/settings.ts";
import { usageError } from "./error-line.ts";
import { localNetwork, PatientOverlay } from "./patient-overlay.ts";
import type { PeerIdentity } from "./peer-identity.ts";
import { recallSwarm, SwarmRecorder } from "./swarm-memory.ts";
import { readingFile, systemReason } from "./system-reason.ts";

/** A peer's way into its swarm. */
export interface SwarmParts {
  readonly overlay: Overlay;
  readonly options: SwarmOptions;
  /** Remembers the members for the next run, from now on. */
  record(members: () => readonly MemberReport[]): SwarmRecorder;
}

const presets: Readonly<Record<MembershipPreset, MembershipOptions>> = {
  local: localMembership,
  lan: lanMembership,
  wan: wanMembership,
};

/**
 * Makes what a peer needs to take part in a swarm. Apart from the rest of the composition, because the network takes half a
 * second to load, and a peer that crawls alone has no use for it.
 *
 * Errors: `CONFIG_INVALID` for addresses and keys that are none.
 */
export async function composeSwarm(
  config: SwarmConfig,
  identity: PeerIdentity & { readonly key: Uint8Array },
  { swarmFile }: Pick<DataLayout, "swarmFile">,
  ports: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics },
  /** Called when nobody of the remembered swarm answers, and this peer may begin it anew. */
  onNobody: () => void,
): Promise<SwarmParts> {
  const memory = await recallSwarm(swarmFile, config.name);
  const named = (config.join ?? []).map(toMultiaddr);
  const seeksLocally = config.join?.length === 0 && memory.addresses.length === 0;
  const join = [
    ...new Set([...named, ...memory.addresses, ...(seeksLocally ? [localNetwork] : [])]),
  ];
  const announce = config.announce && announced(config.announce, identity.id);
  const swarmKey = config.keyFile === undefined ? undefined : await readSwarmKey(config.keyFile);
  const { replicas } = { ...defaultClusterOptions, ...config };
  const cluster = { ...defaultClusterOptions, replicas };
  const listen = config.listen ?? defaultListen(named, join, memory.port);
  const inner = new Libp2pOverlay(ports, {
    key: identity.key,
    swarm: config.name,
    fingerprint: clusterFingerprint(cluster),
    listen: listen.map(toMultiaddr),
    // The port of the last run, which nobody asked for by its number, may be another's by now.
    takesOtherPort: config.listen === undefined,
    localDiscovery: config.localDiscovery ?? seeksLocally,
    ...(announce && { announce }),
    ...(swarmKey && { swarmKey }),
  });
  const overlay = new PatientOverlay(inner, ports, {
    named: new Set([...named, localNetwork]),
    readable: (address) => (address === localNetwork ? address : readable(address)),
    ...(config.join === undefined && { onNobody }),
  });
  const { weight, minority } = { ...defaultSwarmOptions, ...config };
  const membership = config.membership
    ? presets[config.membership]
    : defaultSwarmOptions.membership;
  const options = { ...defaultSwarmOptions, cluster, join, weight, minority, membership };
  return {
    overlay,
    options,
    record: (members) =>
      new SwarmRecorder(
        swarmFile,
        config.name,
        ports,
        { members, addresses: () => inner.addresses },
        memory,
      ),
  };
}

/**
 * What the others are told, as multiaddrs without this peer's id, which they put there themselves. Throws where they could
 * not use it: of a member that tells of more addresses, or of longer ones, they take in nothing at all.
 */
function announced(addresses: readonly string[], self: string): string[] {
  const told = [...new Set(addresses.map((one) => toMultiaddr(one).replace(`/p2p/${self}`, "")))];
  const problems = told.flatMap((address) => {
    const shown = `--announce ${readable(address)}`;
    if (!isReachable(address)) return [`${shown}: nobody can connect to that address`];
    if (readAddress(address)?.member !== undefined) return [`${shown}: has the id of another peer`];
    if (address.length <= addressCharactersMax) return [];
    return [`${shown}: is too long; as a multiaddr it may have ${addressCharactersMax} characters`];
  });
  if (told.length > addressesMax) problems.push(`--announce: at most ${addressesMax} addresses`);
  if (problems.length > 0) throw usageError(...problems);
  return told;
}

/** Multiaddrs that lead to this machine itself; of names those of RFC 6761, section 6.3. */
const loopback = /^\/(ip4\/127\.|ip6\/::1\/|dns[46]?\/([^/]+\.)?localhost\/)/i;

/**
 * Who joins on loopback is reached there; what is for this machine alone is not opened to others, also where a member of
 * which it remembers more addresses is. Who joins by IPv6 is reached so, too: the others may have nothing else.
 */
function defaultListen(named: readonly string[], join: readonly string[], port = 0): string[] {
  const told = named.length > 0 ? named : join;
  const isLocal = told.length > 0 && told.every((address) => loopback.test(address));
  const [host, hostV6] = isLocal ? ["127.0.0.1", "::1"] : ["0.0.0.0", "::"];
  const hasIPv6 = join.some((address) => address.startsWith("/ip6/"));
  return [`/ip4/${host}/tcp/${port}`, ...(hasIPv6 ? [`/ip6/${hostV6}/tcp/${port}`] : [])];
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readSwarmKey(file: string): Promise<Uint8Array> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const isAbsent = errorCode(error) === "ENOENT";
    // Where there is no directory, or there leads a link, none would be made.
    const canMakeOne = isAbsent && (await isThere(dirname(file))) && !(await isThere(file));
    const advice = canMakeOne ? `; peer key new ${file} makes one` : "";
    const reason = systemReason(error, readingFile);
    throw usageError(`--swarm-key: ${file} cannot be read (${reason})${advice}`);
  }
  try {
    return parseSwarmKey(text);
  } catch (error) {
    throw usageError(`--swarm-key: ${file} holds no swarm key (${errorText(error)})`);
  }
}
