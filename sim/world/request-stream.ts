import type { OverlayClass, OverlayOutcome } from "../../src/ports/overlay.ts";
import type { Endpoint, Lane } from "./endpoint.ts";
import type { VirtualNetwork } from "./virtual-network.ts";

/** A request on its way, from the sender's point of view. */
export interface PendingRequest {
  readonly kind: number;
  readonly payload: Uint8Array;
  /** Whether the sender still waits; one that has given up before it was sent never is. */
  readonly isWaiting: boolean;
  /** Gives the sender its outcome; the first one counts. */
  settle(outcome: OverlayOutcome): void;
}

/** What a receiver does with a request: a reply, or nothing where the stream is to be closed. */
export type Service = (
  from: Endpoint,
  kind: number,
  payload: Uint8Array,
) => Promise<OverlayOutcome | undefined>;

/** A member's process that takes requests. */
export interface Server extends Endpoint {
  readonly service: Service;
}

/**
 * The stream of one class of requests from one process to another.
 *
 * Credit holds the sender back: it sends while the receiver serves less than a window. A request that its sender has
 * given up keeps its place in the window until the receiver is done with it, since it is the receiver that has no room.
 *
 * Invariant: requests reach the receiver in the order of the calls, at most once each.
 */
export class RequestStream {
  readonly to: Server;
  readonly #from: Endpoint;
  readonly #class: OverlayClass;
  readonly #network: VirtualNetwork;
  readonly #out: Lane = { lastArrivalMs: 0, held: 0, isClosed: false };
  readonly #back: Lane = { lastArrivalMs: 0, held: 0, isClosed: false };
  readonly #queue: PendingRequest[] = [];
  readonly #inService = new Set<PendingRequest>();
  #bytesInService = 0;

  constructor(network: VirtualNetwork, from: Endpoint, to: Server, traffic: OverlayClass) {
    this.#network = network;
    this.#from = from;
    this.to = to;
    this.#class = traffic;
  }

  /** Nothing more can be asked on it. */
  get isClosed(): boolean {
    return this.#out.isClosed;
  }

  /** Everything sent has arrived: another stream could take its place, and nobody would see a difference. */
  get isIdle(): boolean {
    const lastMs = Math.max(this.#out.lastArrivalMs, this.#back.lastArrivalMs);
    const open = this.#queue.length + this.#inService.size;
    return open === 0 && lastMs < this.#network.clock.nowMs();
  }

  add(request: PendingRequest): void {
    this.#queue.push(request);
    this.#pump();
  }

  /** Ends everything under way; what is served meanwhile is answered to nobody. */
  close(detail: string): void {
    this.#out.isClosed = true;
    this.#back.isClosed = true;
    const ended = [...this.#inService, ...this.#queue.splice(0)];
    this.#inService.clear();
    for (const request of ended) request.settle({ kind: "unreachable", detail });
  }

  #pump(): void {
    const { windowRequests, windowBytes } = this.#network.options;
    while (!this.#out.isClosed && this.#inService.size < windowRequests) {
      const next = this.#queue[0];
      if (next === undefined) return;
      const bytes = this.#bytesInService + next.payload.length;
      if (next.isWaiting && bytes > windowBytes && this.#inService.size > 0) return;
      this.#queue.shift();
      if (next.isWaiting) this.#send(next);
    }
  }

  #send(request: PendingRequest): void {
    const { kind, payload } = request;
    this.#inService.add(request);
    this.#bytesInService += payload.length;
    const [from, to, bytes] = [this.#from.index, this.to.index, payload.length];
    const packet = { from, to, traffic: this.#class, kind, bytes };
    this.#network.traffic.sent(this.#class, bytes);
    this.#network.post(packet, this.#out, (receiver) => this.#arrive(receiver, request));
  }

  #arrive(receiver: Endpoint, request: PendingRequest): void {
    if (receiver !== this.to) {
      // Another process runs there by now, which knows nothing of this connection.
      this.#network.reset(this.to, this.#from);
      return;
    }
    this.to.service(this.#from, request.kind, request.payload).then(
      (outcome) => this.#reply(request, outcome),
      (bug: unknown) => {
        this.#network.clock.call(0, () => {
          throw bug;
        });
      },
    );
  }

  #reply(request: PendingRequest, outcome: OverlayOutcome | undefined): void {
    if (!this.to.process.isAlive) return;
    const bytes = outcome?.kind === "reply" ? outcome.payload.length : 0;
    const [from, to] = [this.to.index, this.#from.index];
    this.#network.traffic.sent(this.#class, bytes);
    const packet = { from, to, traffic: this.#class, kind: request.kind, bytes };
    this.#network.post(packet, this.#back, (receiver) => {
      if (receiver !== this.#from) return;
      if (outcome === undefined) this.close("the receiver closed the stream");
      else this.#finish(request, outcome);
    });
  }

  #finish(request: PendingRequest, outcome: OverlayOutcome): void {
    this.#inService.delete(request);
    this.#bytesInService -= request.payload.length;
    request.settle(outcome);
    this.#pump();
  }
}
