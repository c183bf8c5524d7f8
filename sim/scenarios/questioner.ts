import type { Millis } from "../../src/core/units.ts";
import type { RunView } from "../checkers/checker.ts";
import type { StatusOrder } from "../checkers/status-order.ts";
import type { UrlLists } from "../checkers/url-lists.ts";
import type { Dice } from "../world/dice.ts";
import type { Tampering, VirtualSwarm } from "./virtual-swarm.ts";

/** How often random peers are asked about random URLs, and about how many. */
const askMs: Millis = 700;
const askedUrls = 5;
/** How often for a list of all. */
const listMs: Millis = 30_000;
/** A web that is larger takes too long to be listed again and again. */
const listedPagesMax = 5_000;

/** Asks random running peers what any user may ask, all the time. */
export class Questioner {
  readonly #swarm: VirtualSwarm;
  readonly #view: Pick<RunView, "chronicle" | "plan">;
  readonly #checkers: { readonly lists: UrlLists; readonly status: StatusOrder };
  readonly #dice: Dice;
  readonly #tamper: NonNullable<Tampering["answers"]>;

  constructor(
    swarm: VirtualSwarm,
    view: Pick<RunView, "chronicle" | "plan">,
    checkers: { readonly lists: UrlLists; readonly status: StatusOrder },
    dice: Dice,
    tamper: Tampering["answers"] = (answers) => answers,
  ) {
    this.#swarm = swarm;
    this.#view = view;
    this.#checkers = checkers;
    this.#dice = dice;
    this.#tamper = tamper;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#askForStates(signal), this.#askForLists(signal)]);
  }

  async #askForStates(signal: AbortSignal): Promise<void> {
    const { clock, sampleWeb } = this.#swarm.world;
    const { chronicle } = this.#view;
    while (!signal.aborted) {
      await clock.sleep(this.#dice.exponential(askMs), signal);
      const machine = this.#dice.pick(this.#swarm.steady);
      if (machine === undefined) continue;
      const urls = Array.from({ length: askedUrls }, () =>
        sampleWeb.urlOf(this.#dice.integer(0, sampleWeb.layout.pageCount - 1)),
      );
      const askedAtMs = chronicle.nowMs;
      const { peer, index } = machine;
      void peer.status(urls).then(
        (answers) => this.#checkers.status.see(peer, index, askedAtMs, this.#tamper(answers)),
        () => undefined,
      );
    }
  }

  async #askForLists(signal: AbortSignal): Promise<void> {
    const dice = this.#dice.fork("lists");
    if (this.#view.plan.size.pages > listedPagesMax) return;
    while (!signal.aborted) {
      await this.#swarm.world.clock.sleep(dice.exponential(listMs), signal);
      const machine = dice.pick(this.#swarm.steady);
      if (machine !== undefined) await this.#checkers.lists.ask(machine);
    }
  }
}
