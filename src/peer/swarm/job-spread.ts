import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import { encodeClaim } from "../../core/messages/claim.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { JobRegistry } from "../job-registry.ts";
import type { PeerCalls } from "./peer-calls.ts";
import type { SwarmView } from "./swarm-view.ts";

/** How often the definitions are compared with those of another member. */
const compareIntervalMs: Millis = 5_000;

const timeoutMs: Millis = 3_000;

/**
 * Makes every member know every job: a change is told to all, and what that did not reach is found by comparing with a
 * random member now and then. Definitions merge, so they may come in any order.
 */
export class JobSpread {
  readonly #ports: {
    readonly calls: PeerCalls;
    readonly clock: Clock;
    readonly entropy: Entropy;
    readonly overlay: Overlay;
  };
  readonly #view: SwarmView;
  readonly #jobs: JobRegistry;
  readonly #onMerged: () => void;

  constructor(
    ports: {
      readonly calls: PeerCalls;
      readonly clock: Clock;
      readonly entropy: Entropy;
      readonly overlay: Overlay;
    },
    parts: { readonly view: SwarmView; readonly jobs: JobRegistry },
    /** Called when a definition has come in that changes something here. */
    onMerged: () => void,
  ) {
    this.#ports = ports;
    this.#view = parts.view;
    this.#jobs = parts.jobs;
    this.#onMerged = onMerged;
  }

  /** Tells all members of a definition. */
  tell(definition: JobDefinition): void {
    this.#ports.overlay.publish(encodeClaim({ jobDefinition: definition }));
  }

  /** Takes in definitions of other members. */
  take(definitions: readonly JobDefinition[]): void {
    let changed = false;
    for (const definition of definitions) changed = this.#jobs.merge(definition) || changed;
    if (changed) this.#onMerged();
  }

  /** Answers a member that has sent its definitions: what it does not have, or has in an older form. */
  answer(definitions: readonly JobDefinition[]): readonly JobDefinition[] {
    this.take(definitions);
    const known = new Map(definitions.map(({ id, revision }) => [id, revision]));
    return this.#definitions().filter(({ id, revision }) => (known.get(id) ?? 0) < revision);
  }

  /** Exchanges definitions with a member; false when it did not answer. */
  async exchange(member: MemberId): Promise<boolean> {
    const answer = await this.#ports.calls.jobs(member, this.#definitions(), timeoutMs);
    if (!answer) return false;
    this.take(answer);
    return true;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, entropy } = this.#ports;
    while (!signal.aborted) {
      await clock.sleep(compareIntervalMs * (0.5 + entropy.random()), signal);
      const { others } = this.#view;
      const member = others[Math.floor(entropy.random() * others.length)];
      if (member !== undefined && !signal.aborted) await this.exchange(member);
    }
  }

  #definitions(): JobDefinition[] {
    return this.#jobs.all().map(({ definition }) => definition);
  }
}
