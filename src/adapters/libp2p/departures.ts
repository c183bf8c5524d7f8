import type { Stream } from "@libp2p/interface";
import type { MemberId } from "../../core/units.ts";
import type { OverlayClass } from "../../ports/overlay.ts";
import type { Violation } from "./incoming-stream.ts";
import type { CollectingBudget } from "./memory-budget.ts";
import { NoticeSender } from "./notices.ts";
import { OutgoingStream, type OpenedStream, type PendingRequest } from "./outgoing-stream.ts";
import type { Dialled } from "./dialer.ts";

/** Name of a stream's traffic, as it ends the protocol's id. */
export type Traffic = OverlayClass | "notice";

/** What departures need of the rest. */
export interface DeparturePorts {
  connect(member: MemberId): Promise<Dialled>;
  protocolOf(traffic: Traffic): string;
  onViolation(member: MemberId, violation: Violation): void;
  onNoticeDropped(): void;
  /** Called when a request was turned away since too many wait. */
  onQueueFull(): void;
}

/** A round trip on a slow line, at a peer whose processor is busy. */
const openTimeoutMs = 5_000;

/** Members that this one has something for at once; a notice to one more is dropped, a request waits its turn. */
const noticeSendersMax = 1_024;

/** The streams that this member has opened, or is about to: one for each member and class, while they last. */
export class Departures {
  readonly #ports: DeparturePorts;
  readonly #collecting: CollectingBudget;
  readonly #requests = new Map<string, OutgoingStream>();
  readonly #notices = new Map<MemberId, NoticeSender>();

  constructor(ports: DeparturePorts, collecting: CollectingBudget) {
    this.#ports = ports;
    this.#collecting = collecting;
  }

  request(member: MemberId, traffic: OverlayClass, request: PendingRequest): void {
    const key = `${traffic} ${member}`;
    const known = this.#requests.get(key);
    if (known && !known.isClosed) {
      known.add(request);
      return;
    }
    const stream: OutgoingStream = new OutgoingStream(
      this.#open(member, traffic),
      this.#collecting,
      {
        onEnd: () => {
          if (this.#requests.get(key) === stream) this.#requests.delete(key);
        },
        onFull: () => this.#ports.onQueueFull(),
        onMalformed: (violation) => this.#ports.onViolation(member, violation),
      },
    );
    this.#requests.set(key, stream);
    stream.add(request);
  }

  notify(member: MemberId, payload: Uint8Array): void {
    const known = this.#notices.get(member);
    if (known) {
      known.send(payload);
      return;
    }
    if (this.#notices.size >= noticeSendersMax) {
      this.#ports.onNoticeDropped();
      return;
    }
    const sender: NoticeSender = new NoticeSender(
      this.#open(member, "notice"),
      this.#collecting,
      () => {
        if (this.#notices.get(member) === sender) this.#notices.delete(member);
      },
      () => this.#ports.onNoticeDropped(),
    );
    this.#notices.set(member, sender);
    sender.send(payload);
  }

  /** Ends everything under way. */
  close(detail: string): void {
    for (const stream of [...this.#requests.values()]) stream.close(detail);
    for (const sender of [...this.#notices.values()]) sender.close();
  }

  async #open(member: MemberId, traffic: Traffic): Promise<OpenedStream> {
    const dialled = await this.#ports.connect(member);
    if (dialled.kind === "timeout") return { kind: "unreachable", detail: "the dial timed out" };
    if (dialled.kind !== "connected") return dialled;
    let stream: Stream;
    try {
      const signal = AbortSignal.timeout(openTimeoutMs);
      stream = await dialled.connection.newStream(this.#ports.protocolOf(traffic), { signal });
    } catch {
      return { kind: "unreachable", detail: "the connection broke" };
    }
    return { kind: "opened", stream };
  }
}
