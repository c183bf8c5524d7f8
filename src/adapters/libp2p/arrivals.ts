import type { Connection, Stream } from "@libp2p/interface";
import { invariant, InvariantError } from "../../core/errors.ts";
import type { MemberId } from "../../core/units.ts";
import type { OverlayHandler } from "../../ports/overlay.ts";
import { IncomingStream, type Service, type Violation } from "./incoming-stream.ts";
import { memberAt } from "./links.ts";
import { NoticeReceiver } from "./notices.ts";

/** What arrivals need of the rest. */
export interface ArrivalPorts {
  /** Whether the two ends have greeted each other; waits until that is known. */
  isGreeted(connection: Connection): Promise<boolean>;
  onNotice(member: MemberId, payload: Uint8Array): void;
  onViolation(member: MemberId, violation: Violation): void;
}

interface Closable {
  close(detail: string): void;
}

/** The streams that others have opened, and what is done with what comes on them. */
export class Arrivals {
  readonly #ports: ArrivalPorts;
  readonly #handlers = new Map<number, OverlayHandler>();
  readonly #open = new Set<Closable>();

  constructor(ports: ArrivalPorts) {
    this.#ports = ports;
  }

  serve(kind: number, handler: OverlayHandler): void {
    invariant(!this.#handlers.has(kind), `a second handler of kind ${kind}`);
    this.#handlers.set(kind, handler);
  }

  /** Takes in a stream of requests. */
  async requests(stream: Stream, connection: Connection): Promise<void> {
    if (!(await this.#isWelcome(stream, connection))) return;
    const member = memberAt(connection);
    const incoming: IncomingStream = new IncomingStream(
      stream,
      this.#serviceFor(member),
      (violation) => this.#ports.onViolation(member, violation),
      () => this.#open.delete(incoming),
    );
    this.#open.add(incoming);
  }

  /** Takes in a stream of notices. */
  async notices(stream: Stream, connection: Connection): Promise<void> {
    if (!(await this.#isWelcome(stream, connection))) return;
    const member = memberAt(connection);
    const receiver: NoticeReceiver = new NoticeReceiver(
      stream,
      (payload) => this.#ports.onNotice(member, payload),
      (violation) => this.#ports.onViolation(member, violation),
      () => this.#open.delete(receiver),
    );
    this.#open.add(receiver);
  }

  /** Ends everything under way. */
  close(detail: string): void {
    for (const one of [...this.#open]) one.close(detail);
  }

  async #isWelcome(stream: Stream, connection: Connection): Promise<boolean> {
    const isGreeted = await this.#ports.isGreeted(connection);
    if (!isGreeted) stream.abort(new Error("no greeting"));
    return isGreeted && stream.status === "open";
  }

  #serviceFor(member: MemberId): Service {
    return async (kind, payload) => {
      const handler = this.#handlers.get(kind);
      if (handler === undefined) return { kind: "refused", detail: `no handler of kind ${kind}` };
      try {
        return await handler(member, payload);
      } catch (error) {
        if (error instanceof InvariantError) throw error;
        return undefined;
      }
    };
  }
}
