import { invariant, InvariantError } from "../../src/core/errors.ts";
import type { MemberId } from "../../src/core/units.ts";
import type {
  JoinOutcome,
  Overlay,
  OverlayClass,
  OverlayHandler,
  OverlayOutcome,
  OverlayRequest,
} from "../../src/ports/overlay.ts";
import type { Absence, DialOutcome, Endpoint } from "./endpoint.ts";
import type { Packet } from "./network-rules.ts";
import { RequestStream, type PendingRequest, type Server } from "./request-stream.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** Who a process is in its swarm. */
export interface OverlayIdentity {
  /** Place of its machine in the world. */
  readonly index: number;
  readonly self: MemberId;
  /** Swarm, cluster options and version of the protocol in one name: who has another one is refused. @default "sim" */
  readonly swarm?: string;
}

/** Bounds of the port. */
const payloadBytesMax = 4 * 1_048_576;
const noticeBytesMax = 65_536;

/** Where the member of that place is reached. */
export function virtualAddress(index: number): string {
  return `sim:${index}`;
}

/** The place that an address names; undefined for anything else. */
export function indexOfAddress(address: string): number | undefined {
  const digits = /^sim:(\d{1,7})$/.exec(address)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The overlay of one process in the virtual network.
 *
 * Invariant: nothing that a process does after its end reaches the network, and nothing reaches it.
 */
export class VirtualOverlay implements Overlay, Server {
  readonly self: MemberId;
  readonly index: number;
  readonly swarm: string;
  readonly addresses: readonly string[];
  readonly process: VirtualProcess;
  readonly connections = new Map<number, Endpoint>();
  readonly #network: VirtualNetwork;
  readonly #handlers = new Map<number, OverlayHandler>();
  readonly #streams = new Map<string, RequestStream>();
  readonly #dials = new Map<number, Promise<DialOutcome>>();
  /** Requests that wait for a dial to end. */
  readonly #dialing = new Set<PendingRequest>();
  /** Where each member is: by what others have told, or by a connection. */
  readonly #places = new Map<MemberId, number>();
  readonly #onNotice = new Set<(from: MemberId, payload: Uint8Array) => void>();
  readonly #onClaim = new Set<(from: MemberId, claim: Uint8Array) => void>();
  readonly #onBroken = new Set<(member: MemberId) => void>();
  #state: "new" | "running" | "stopped" = "new";

  constructor(network: VirtualNetwork, process: VirtualProcess, identity: OverlayIdentity) {
    this.#network = network;
    this.process = process;
    this.index = identity.index;
    this.self = identity.self;
    this.swarm = identity.swarm ?? "sim";
    this.addresses = [virtualAddress(identity.index)];
  }

  start(): Promise<void> {
    return this.process.answer(() => {
      if (this.#state !== "new") return;
      this.#state = "running";
      this.#network.attach(this);
    });
  }

  stop(): Promise<void> {
    return this.process.answer(() => this.#leave());
  }

  /** What the end of the process does to its connections. */
  cut(absence: Absence): void {
    if (this.#state === "running") this.#network.detach(this, absence);
    this.#state = "stopped";
  }

  async join(address: string, signal: AbortSignal): Promise<JoinOutcome> {
    const index = indexOfAddress(address);
    if (index === undefined || index === this.index) {
      return this.process.answer(() => ({
        kind: "unreachable",
        detail: `no peer at ${address}`,
      }));
    }
    const dial = this.#isOpen ? this.#dial(index) : this.process.answer(notRunning);
    const outcome = await this.#unlessAborted(dial, signal);
    if (outcome.kind !== "connected") return outcome;
    const member = outcome.endpoint.self;
    if (member !== this.self) return { kind: "joined", member };
    return { kind: "refused", detail: "it has this member's own key", hasOwnKey: true };
  }

  learn(member: MemberId, addresses: readonly string[]): void {
    const index = addresses.map(indexOfAddress).find((one) => one !== undefined);
    if (index !== undefined && member !== this.self) this.#places.set(member, index);
  }

  request(request: OverlayRequest, signal: AbortSignal): Promise<OverlayOutcome> {
    const { to, class: traffic, kind, timeoutMs } = request;
    invariant(request.payload.length <= payloadBytesMax, "a request of over 4 MiB");
    const index = this.#places.get(to);
    if (!this.#isOpen || signal.aborted || index === undefined) {
      const detail = signal.aborted ? "aborted" : "no address is known";
      return this.process.answer(() => ({ kind: "unreachable", detail }));
    }
    return new Promise((resolve) => {
      const pending = {
        kind,
        payload: request.payload.slice(),
        isWaiting: true,
        settle: (outcome: OverlayOutcome): void => {
          if (!pending.isWaiting || !this.process.isAlive) return;
          pending.isWaiting = false;
          this.#dialing.delete(pending);
          cancel();
          resolve(outcome);
        },
      };
      const giveUp = (): void => {
        const aborted = { kind: "unreachable", detail: "aborted" } as const;
        pending.settle(signal.aborted ? aborted : { kind: "timeout" });
      };
      const cancel = this.process.call(timeoutMs, giveUp, signal);
      this.#send(pending, to, index, traffic);
    });
  }

  serve(kind: number, handler: OverlayHandler): void {
    invariant(this.#state === "new", "handlers are registered before the start");
    invariant(!this.#handlers.has(kind), `a second handler of kind ${kind}`);
    this.#handlers.set(kind, handler);
  }

  notify(to: MemberId, payload: Uint8Array): void {
    invariant(payload.length <= noticeBytesMax, "a notice of over 64 KiB");
    const index = this.#places.get(to);
    if (!this.#isOpen || index === undefined) return;
    const copy = payload.slice();
    const bytes = copy.length;
    const packet: Packet = { from: this.index, to: index, traffic: "notice", kind: 0, bytes };
    this.#network.traffic.sent("notice", bytes);
    this.#network.post(packet, undefined, (receiver) => {
      if (receiver.self === to && receiver.swarm === this.swarm) {
        receiver.receiveNotice(this.self, copy);
      }
    });
  }

  publish(claim: Uint8Array): void {
    invariant(claim.length <= noticeBytesMax, "a claim of over 64 KiB");
    if (this.#isOpen) this.#network.spread(this, claim.slice());
  }

  onNotice(listener: (from: MemberId, payload: Uint8Array) => void): void {
    this.#onNotice.add(listener);
  }

  onClaim(listener: (from: MemberId, claim: Uint8Array) => void): void {
    this.#onClaim.add(listener);
  }

  onBroken(listener: (member: MemberId) => void): void {
    this.#onBroken.add(listener);
  }

  receiveNotice(from: MemberId, payload: Uint8Array): void {
    if (this.#isOpen) for (const listener of this.#onNotice) listener(from, payload);
  }

  receiveClaim(from: MemberId, claim: Uint8Array): void {
    if (this.#isOpen) for (const listener of this.#onClaim) listener(from, claim);
  }

  connectionMade(other: Endpoint): void {
    this.#places.set(other.self, other.index);
  }

  connectionBroken(other: Endpoint): void {
    for (const [key, stream] of this.#streams) {
      if (stream.to !== other) continue;
      this.#streams.delete(key);
      stream.close("the connection broke");
    }
    if (this.#isOpen) for (const listener of this.#onBroken) listener(other.self);
  }

  /** Serves what another process asks. Never settles where this one ends meanwhile. */
  readonly service = async (
    from: Endpoint,
    kind: number,
    payload: Uint8Array,
  ): Promise<OverlayOutcome | undefined> => {
    const handler = this.#handlers.get(kind);
    if (handler === undefined) return { kind: "refused", detail: `no handler of kind ${kind}` };
    try {
      const outcome = await handler(from.self, payload);
      if (outcome.kind !== "reply" || outcome.payload.length <= payloadBytesMax) return outcome;
      return { kind: "refused", detail: "the reply is over 4 MiB" };
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      return undefined;
    }
  };

  get #isOpen(): boolean {
    return this.#state === "running" && this.process.isAlive;
  }

  #leave(): void {
    const wasRunning = this.#state === "running";
    this.cut("refusing");
    if (!wasRunning) return;
    const detail = "this member has stopped";
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.close(detail);
    for (const pending of [...this.#dialing]) pending.settle({ kind: "unreachable", detail });
  }

  #send(pending: PendingRequest, to: MemberId, index: number, traffic: OverlayClass): void {
    const connected = this.connections.get(index);
    if (connected?.self === to) {
      this.#stream(connected, traffic).add(pending);
      return;
    }
    this.#dialing.add(pending);
    void this.#dial(index).then((outcome) => {
      if (!this.#dialing.delete(pending) || !this.#isOpen) return;
      if (outcome.kind !== "connected") pending.settle(outcome);
      else if (outcome.endpoint.self === to) {
        this.#stream(outcome.endpoint, traffic).add(pending);
      } else
        pending.settle({
          kind: "unreachable",
          detail: "another member answers there",
        });
    });
  }

  #dial(index: number): Promise<DialOutcome> {
    const known = this.#dials.get(index);
    if (known) return known;
    const dial = this.#network.dial(this, index).finally(() => this.#dials.delete(index));
    this.#dials.set(index, dial);
    return dial;
  }

  #stream(to: Endpoint, traffic: OverlayClass): RequestStream {
    const key = `${to.index} ${traffic}`;
    const known = this.#streams.get(key);
    if (known?.to === to && !known.isClosed) return known;
    known?.close("the connection broke");
    this.#forgetIdle();
    invariant(to instanceof VirtualOverlay, "only overlays are attached to the network");
    const stream = new RequestStream(this.#network, this, to, traffic);
    this.#streams.set(key, stream);
    return stream;
  }

  /** Streams without work would cost memory for every pair of members. The busy ones are looked at in turns. */
  #forgetIdle(): void {
    for (const [key, stream] of this.#streams) {
      this.#streams.delete(key);
      if (stream.isIdle) continue;
      this.#streams.set(key, stream);
      return;
    }
  }

  #unlessAborted(dial: Promise<DialOutcome>, signal: AbortSignal): Promise<DialOutcome> {
    return new Promise((resolve) => {
      const abandon = (): void => {
        if (this.process.isAlive) resolve({ kind: "unreachable", detail: "aborted" });
      };
      signal.addEventListener("abort", abandon, { once: true });
      void dial.then((outcome) => {
        signal.removeEventListener("abort", abandon);
        resolve(outcome);
      });
      if (signal.aborted) abandon();
    });
  }
}

function notRunning(): DialOutcome {
  return { kind: "unreachable", detail: "this member is not running" };
}
