import type { Millis, OriginName } from "../../src/core/units.ts";
import type { HostProbe } from "../../src/ports/host-probe.ts";
import type { VirtualProcess } from "./virtual-process.ts";
import type { VirtualWeb } from "./virtual-web.ts";

/** A look-up and a connection, as they go; and how long they are waited for where there is no way. */
const reachedMs: Millis = 60;
const timeoutMs: Millis = 10_000;

/** Looks at hosts of the virtual web, all of which live. */
export class VirtualProbe implements HostProbe {
  readonly #web: VirtualWeb;
  readonly #process: VirtualProcess;

  constructor(web: VirtualWeb, process: VirtualProcess) {
    this.#web = web;
    this.#process = process;
  }

  reaches(_origin: OriginName, signal: AbortSignal): Promise<boolean> {
    return this.#looksOut(signal);
  }

  resolves(_origin: OriginName, signal: AbortSignal): Promise<boolean> {
    return this.#looksOut(signal);
  }

  hasNameServer(signal: AbortSignal): Promise<boolean> {
    return this.#looksOut(signal);
  }

  async #looksOut(signal: AbortSignal): Promise<boolean> {
    const isReached = this.#web.isReachedBy(this.#process.peer);
    await this.#process.clock.sleep(isReached ? reachedMs : timeoutMs, signal);
    return isReached && !signal.aborted;
  }
}
