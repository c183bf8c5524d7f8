import { CrawlError } from "../../../core/errors.ts";
import type { Member } from "../../../core/membership/member.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { MemberView } from "./member-view.ts";

/**
 * What becomes of word that a later run of this peer is about: two processes must not act under one identity, and any member
 * can claim what it likes of others.
 *
 * The claim says where the other run is. If a process with this peer's own key answers there, this one gives way. If not, it
 * outbids the claim; a run that is there and could not be reached hears of that, and has to find this one in its turn.
 */
export class LaterRuns {
  readonly #overlay: Pick<Overlay, "self" | "join">;
  readonly #view: () => Pick<MemberView, "outbid">;
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;
  #latest: Member | undefined;
  #isLooking = false;

  constructor(
    overlay: Pick<Overlay, "self" | "join">,
    view: () => Pick<MemberView, "outbid">,
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    this.#overlay = overlay;
    this.#view = view;
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  /** One is looked for at a time, and the latest of those that came meanwhile. */
  readonly heard = (claim: Member): void => {
    if (this.#latest && this.#latest.generation >= claim.generation) return;
    this.#latest = claim;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#look().catch(this.#onFailure);
  };

  async #look(): Promise<void> {
    for (let claim = this.#latest; claim; claim = this.#latest) {
      this.#latest = undefined;
      const { addresses, generation } = claim;
      if (await this.#isAt(addresses)) {
        const problem = "another peer has started with this peer's identity";
        throw new CrawlError("SUPERSEDED", problem, { member: this.#overlay.self });
      }
      if (this.#signal.aborted) return;
      this.#view().outbid(generation, addresses);
    }
    this.#isLooking = false;
  }

  async #isAt(addresses: readonly string[]): Promise<boolean> {
    for (const address of addresses) {
      const outcome = await this.#overlay.join(address, this.#signal, "once");
      if (outcome.kind === "refused" && outcome.hasOwnKey === true) return true;
    }
    return false;
  }
}
