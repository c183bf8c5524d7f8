import { noise } from "@chainsafe/libp2p-noise";
import { yamux } from "@chainsafe/libp2p-yamux";
import { gossipsub, StrictSign, type GossipSub } from "@libp2p/gossipsub";
import { identify } from "@libp2p/identify";
import type { ConnectionGater, Libp2p, PeerDiscovery, PeerId, PeerInfo } from "@libp2p/interface";
import { kadDHT, passthroughMapper } from "@libp2p/kad-dht";
import { mdns } from "@libp2p/mdns";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { ping } from "@libp2p/ping";
import { preSharedKey } from "@libp2p/pnet";
import { tcp } from "@libp2p/tcp";
import { createLibp2p } from "libp2p";
import { hash64 } from "../../core/hash/hash64.ts";
import { BoundedDatastore } from "./bounded-datastore.ts";
import { dialsMax, dialTimeoutMs } from "./dialer.ts";
import { keepPiecesFew } from "./few-pieces.ts";
import { limitForcedAnswers } from "./forced-answers.ts";
import { frugalLookup } from "./frugal-lookup.ts";
import { newcomersMax } from "./gatekeeper.ts";
import { paceGossip } from "./gossip-pace.ts";
import { limitQuestions, limitReplies } from "./heard-limits.ts";
import { membersOnly } from "./lookup-questions.ts";
import { noiseCrypto } from "./noise-crypto.ts";
import { OpeningLimits } from "./opening-limits.ts";
import { watchOwnKey } from "./own-key-watch.ts";
import { readPeerKey } from "./peer-key.ts";
import { shortIdentity } from "./short-identity.ts";
import { keepLengthsShort } from "./short-lengths.ts";
import { softPorts } from "./soft-ports.ts";
import { formatSwarmKey } from "./swarm-key.ts";
import { toldProtector } from "./told-protector.ts";
import { wholePackets } from "./whole-packets.ts";

/** Open connections, of all peers: a swarm of hundreds, all connected to all, and those who have not greeted yet. */
const connectionsMax = 512 + newcomersMax;

/** Connections of others that are being set up at once. Those above the bound of newcomers are just being ended. */
const pendingConnectionsMax = 2 * newcomersMax;

/**
 * Dials at once: all that the dialer lets begin, and joins. One that waited for others, of which each may take its whole time,
 * would use up its own meanwhile, and a member that is there would count as unreachable.
 */
const parallelDialsMax = dialsMax + 16;

/** Connections a second from one host: several peers on a machine that all come back at once. */
const connectionsPerSecondMax = 50;

/** Streams of one connection and direction: four of this protocol, those of gossip, and lookups in flight. */
const streamsMax = 64;

/** Of a stream that nobody reads yet, since its peer has not greeted: it is closed when more comes. */
const unreadBytesMax = 1_048_576;

/** Streams of the lookup protocol on one connection. */
const lookupStreamsMax = 16;

/**
 * Peers that wait to be tried for the table of lookups: each that is told of is looked for among all of them. One answer can
 * name a thousand.
 */
const untriedPeersMax = 256;

/** A connection is looked after every so often; after the longest wait for an answer it is given up. */
const pingIntervalMs = 10_000;
const pingTimeoutMinMs = 5_000;
const pingTimeoutMaxMs = 10_000;

/** Gossip mends its mesh so often: a claim gets round a new member within about as long. */
const gossipIntervalMs = 500;

/** Of one message of gossip: some claims of the largest size. */
const gossipBytesMax = 1_048_576;

/** Of gossip that a peer does not take away. */
const gossipQueueBytesMax = 4 * 1_048_576;

/** Of a peer that has gone gossip remembers how it has behaved; whoever takes new keys decides of how many. */
const scoreKeptMs = 60_000;

/** Of one part of a name (RFC 1035, section 2.3.4). */
const labelCharactersMax = 63;

export interface NodeOptions {
  readonly key: Uint8Array;
  readonly swarm: string;
  readonly swarmKey?: Uint8Array;
  readonly listen: readonly string[];
  readonly takesOtherPort?: boolean;
  readonly announce?: readonly string[];
  readonly localDiscovery: boolean;
  /** Prefix of the protocols of this swarm. */
  readonly prefix: string;
  /** The one topic of gossip. */
  readonly topic: string;
  readonly gater: ConnectionGater;
  /** Whether a peer has greeted, and is a member. */
  readonly isGreeted: (peer: PeerId) => boolean;
  /** Called when a process with this member's own key has dialled. */
  readonly onOwnKey: () => void;
  /** Called when a peer forces too many answers of libp2p's own, or says too much to a part of libp2p, or passes on forged claims. */
  readonly onFlood: (peer: PeerId) => void;
  readonly onFound: (peer: PeerInfo) => void;
}

export type OverlayNode = Libp2p<{ pubsub: GossipSub }>;

/** A node of libp2p that speaks with its own swarm, not yet started. */
export async function newNode(options: NodeOptions): Promise<OverlayNode> {
  keepPiecesFew();
  keepLengthsShort();
  const { swarmKey } = options;
  const openings = new OpeningLimits(options.onFlood, options.isGreeted);
  // Node.js takes it, though the type of the options does not tell of it.
  const dialOpts = { lookup: frugalLookup(dialTimeoutMs) };
  const transport = tcp({ dialOpts: dialOpts as object });
  const encrypter = openings.encrypter(wholePackets(noise({ crypto: noiseCrypto })));
  const privateKey = readPeerKey(options.key);
  return await createLibp2p({
    start: false,
    privateKey,
    datastore: new BoundedDatastore(peerIdFromPrivateKey(privateKey)),
    nodeInfo: { name: "orbweaver", version: "1", userAgent: "orbweaver" },
    addresses: { listen: [...options.listen], announce: [...(options.announce ?? [])] },
    transports: [options.takesOtherPort ? softPorts(transport) : transport],
    connectionEncrypters: [
      watchOwnKey(limitForcedAnswers(encrypter, options.onFlood), options.onOwnKey),
    ],
    streamMuxers: [
      openings.muxer(
        yamux({
          maxInboundStreams: streamsMax,
          maxOutboundStreams: streamsMax,
          streamOptions: { maxReadBufferLength: unreadBytesMax },
        }),
      ),
    ],
    connectionGater: options.gater,
    connectionManager: {
      maxConnections: connectionsMax,
      maxParallelDials: parallelDialsMax,
      maxIncomingPendingConnections: pendingConnectionsMax,
      inboundConnectionThreshold: connectionsPerSecondMax,
      dialTimeout: dialTimeoutMs,
      addressDialTimeout: dialTimeoutMs,
      inboundUpgradeTimeout: dialTimeoutMs,
      reconnectRetries: 0,
      // No member announces a list of addresses in the DNS: whoever names one chooses what is asked there.
      resolvers: {},
    },
    connectionMonitor: {
      pingInterval: pingIntervalMs,
      pingTimeout: { minTimeout: pingTimeoutMinMs, maxTimeout: pingTimeoutMaxMs },
    },
    ...(swarmKey && {
      connectionProtector: toldProtector(
        preSharedKey({ psk: Buffer.from(formatSwarmKey(swarmKey)) }),
      ),
    }),
    peerDiscovery: options.localDiscovery ? [localDiscovery(options)] : [],
    services: {
      identify: shortIdentity(identify()),
      ping: limitQuestions(ping(), options.onFlood),
      lookup: limitQuestions(newLookup(options.prefix), options.onFlood),
      pubsub: paceGossip(newGossip(options.topic), options.onFlood, options.isGreeted),
    },
  });
}

function newLookup(prefix: string): ReturnType<typeof kadDHT> {
  const lookup = kadDHT({
    protocol: `${prefix}/lookup`,
    clientMode: false,
    peerInfoMapper: passthroughMapper,
    allowQueryWithZeroPeers: true,
    routingTableUpdateMaxQueueSize: untriedPeersMax,
    maxInboundStreams: lookupStreamsMax,
    maxOutboundStreams: lookupStreamsMax,
  });
  return membersOnly(limitReplies(lookup));
}

function newGossip(topic: string): ReturnType<typeof gossipsub> {
  return gossipsub({
    globalSignaturePolicy: StrictSign,
    fallbackToFloodsub: false,
    emitSelf: false,
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    allowedTopics: [topic],
    heartbeatInterval: gossipIntervalMs,
    maxInboundDataLength: gossipBytesMax,
    maxOutboundBufferSize: gossipQueueBytesMax,
    // So that a neighbour that is heard slowly is read slowly.
    awaitRpcHandler: true,
    awaitRpcMessageHandler: true,
    // Many peers may run on one machine, or behind one gateway; of 15 at one address gossip would hear none.
    scoreParams: { IPColocationFactorWeight: 0, retainScore: scoreKeptMs },
  });
}

/** By what the peers of a swarm find one another on the local network; for a name that is too long stands its hash. */
export function serviceNameOf(swarm: string): string {
  const label = `_orbweaver-${swarm}`;
  const fits = label.length <= labelCharactersMax;
  return `${fits ? label : `_orbweaver-${hash64(swarm).toString(16)}`}._udp.local`;
}

function localDiscovery(options: NodeOptions) {
  const discover = mdns({ serviceTag: serviceNameOf(options.swarm) });
  return (components: Parameters<typeof discover>[0]): PeerDiscovery => {
    const discovery = discover(components);
    discovery.addEventListener("peer", ({ detail }) => options.onFound(detail));
    return discovery;
  };
}
