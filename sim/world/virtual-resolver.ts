import type { HostName, IpAddress, Millis } from "../../src/core/units.ts";
import type { ResolveOutcome, Resolver } from "../../src/ports/resolver.ts";
import type { SampleWeb } from "../sample-web/sample-web.ts";
import type { Dice } from "./dice.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** How long an address holds. */
const ttlMs: Millis = 3_600_000;
/** Median and spread of an answer from a name server nearby. */
const answerMedianMs: Millis = 8;
const answerTail = 0.8;

/** The names of the sample web, with the addresses that several of them may share. Nothing is cached: asking is cheap. */
export class VirtualResolver implements Resolver {
  readonly #web: SampleWeb;
  readonly #process: VirtualProcess;
  readonly #dice: Dice;

  constructor(web: SampleWeb, process: VirtualProcess, dice: Dice) {
    this.#web = web;
    this.#process = process;
    this.#dice = dice;
  }

  async resolve(host: HostName, signal: AbortSignal): Promise<ResolveOutcome> {
    const { clock } = this.#process;
    await clock.sleep(this.#dice.lognormal(answerMedianMs, answerTail), signal);
    if (signal.aborted) return { kind: "failure", failure: "aborted", detail: host };
    const found = this.#web.names.findHost(host);
    if (found === undefined) return { kind: "failure", failure: "dns-not-found", detail: host };
    const addresses = [this.#web.names.addressOf(found) as IpAddress];
    return { kind: "addresses", addresses, expiresAtMs: clock.nowMs() + ttlMs };
  }
}
