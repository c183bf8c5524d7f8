import type { HostName, IpAddress, Millis } from "../../src/core/units.ts";
import type { ResolveOutcome, Resolver } from "../../src/ports/resolver.ts";
import type { Dice } from "./dice.ts";
import type { VirtualProcess } from "./virtual-process.ts";
import type { VirtualWeb } from "./virtual-web.ts";

/** How long an address holds. */
const ttlMs: Millis = 3_600_000;
/** Median and spread of an answer from a name server nearby. */
const answerMedianMs: Millis = 8;
const answerTail = 0.8;
/** How long an answer is waited for where none comes. */
const timeoutMs: Millis = 5_000;

/** The names of the sample web, with the addresses that several of them may share. Nothing is cached: asking is cheap. */
export class VirtualResolver implements Resolver {
  readonly #web: VirtualWeb;
  readonly #process: VirtualProcess;
  readonly #dice: Dice;

  constructor(web: VirtualWeb, process: VirtualProcess, dice: Dice) {
    this.#web = web;
    this.#process = process;
    this.#dice = dice;
  }

  async resolve(host: HostName, signal: AbortSignal): Promise<ResolveOutcome> {
    const { clock } = this.#process;
    await clock.sleep(this.#dice.lognormal(answerMedianMs, answerTail), signal);
    if (signal.aborted) return { kind: "failure", failure: "aborted", detail: host };
    if (!this.#web.isReachedBy(this.#process.peer)) {
      await clock.sleep(timeoutMs, signal);
      return { kind: "failure", failure: "dns-timeout", detail: host };
    }
    const { names } = this.#web.pages.web;
    const found = names.findHost(host);
    if (found === undefined) return { kind: "failure", failure: "dns-not-found", detail: host };
    const addresses = [names.addressOf(found) as IpAddress];
    return { kind: "addresses", addresses, expiresAtMs: clock.nowMs() + ttlMs };
  }
}
