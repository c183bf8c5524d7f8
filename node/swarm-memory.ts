import { readFile, rename, writeFile } from "node:fs/promises";
import { errorText } from "../src/core/errors.ts";
import type { Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Logger } from "../src/ports/logger.ts";
import type { MemberReport } from "../src/ports/peer-control.ts";

/** Where a peer of a swarm was, and where it reached the others, for the next run in its directory. */
export interface SwarmMemory {
  /** Name of the swarm. */
  readonly swarm: string;
  /** Port that the peer listened to; absent where it was not at one. */
  readonly port?: number;
  /** Addresses of other members, those first that were running; multiaddrs. */
  readonly addresses: readonly string[];
}

/** Members that are remembered: any one of them is enough to find the others. */
const membersMax = 32;
/** Addresses kept of each. */
const addressesOfOneMax = 4;
const addressCharactersMax = 512;
const fileCharactersMax = 256 * 1_024;

/** Time between two looks at the members: as much as a crash may forget. */
const lookEveryMs: Millis = 1_000;

/**
 * What the last run remembered of the swarm of this name. A file that is spoilt or speaks of another swarm is as good as
 * none: it spares a user some typing, and nothing rests on it.
 */
export async function recallSwarm(file: string, swarm: string): Promise<SwarmMemory> {
  const nothing = { swarm, addresses: [] };
  let content: unknown;
  try {
    const text = await readFile(file, "utf8");
    if (text.length > fileCharactersMax) return nothing;
    content = JSON.parse(text);
  } catch {
    return nothing;
  }
  if (typeof content !== "object" || content === null) return nothing;
  const { swarm: name, port, addresses } = content as Readonly<Record<string, unknown>>;
  if (name !== swarm || !Array.isArray(addresses)) return nothing;
  const sound = (addresses as readonly unknown[]).filter(isAddress);
  return {
    swarm,
    ...(isPort(port) && { port }),
    addresses: sound.slice(0, membersMax * addressesOfOneMax),
  };
}

/** Keeps the memory up to date while the peer runs. */
export class SwarmRecorder {
  readonly #file: string;
  readonly #swarm: string;
  readonly #ports: { readonly clock: Clock; readonly logger: Logger };
  readonly #source: { members(): readonly MemberReport[]; addresses(): readonly string[] };
  readonly #stopping = new AbortController();
  /** Addresses of those who were known last, be it in an earlier run: the way to the others until one of them is met. */
  #known: readonly string[];
  #loop: Promise<void> = Promise.resolve();
  #written = "";

  constructor(
    file: string,
    swarm: string,
    ports: { readonly clock: Clock; readonly logger: Logger },
    /** Members of the swarm, this one first, and where this one listens. */
    source: { members(): readonly MemberReport[]; addresses(): readonly string[] },
    /** What {@link recallSwarm} had of an earlier run. */
    before: Pick<SwarmMemory, "addresses">,
  ) {
    this.#file = file;
    this.#swarm = swarm;
    this.#ports = ports;
    this.#source = source;
    this.#known = before.addresses;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Writes a last time; idempotent. To be called while the other members are still known. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#ports.clock.sleep(lookEveryMs, signal);
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const text = `${JSON.stringify(this.#memory(), undefined, 2)}\n`;
    if (text === this.#written) return;
    try {
      await writeFile(`${this.#file}.new`, text);
      await rename(`${this.#file}.new`, this.#file);
      this.#written = text;
    } catch (error) {
      // The disk's trouble is told by those who cannot do without it.
      this.#ports.logger.debug("swarm-not-remembered", { problem: errorText(error) });
    }
  }

  #memory(): SwarmMemory {
    const others = this.#source.members().slice(1);
    // Of a swarm that stops as a whole, the last one knows only of such that are gone; they may be back.
    const gone = others.filter(({ state }) => state === "dead" || state === "left");
    const here = others.filter((member) => !gone.includes(member));
    const kept = [...here, ...gone].slice(0, membersMax);
    const port = portOf(this.#source.addresses());
    const met = kept.flatMap((member) => member.addresses.slice(0, addressesOfOneMax));
    // Who has met nobody may be the first of a swarm that starts again; who is gone for a day is no member any more.
    if (others.length > 0) this.#known = met;
    return {
      swarm: this.#swarm,
      ...(port !== undefined && { port }),
      addresses: [...new Set(this.#known.filter(isAddress))],
    };
  }
}

function portOf(addresses: readonly string[]): number | undefined {
  const port = Number(/\/tcp\/(\d+)/.exec(addresses[0] ?? "")?.[1]);
  return isPort(port) ? port : undefined;
}

function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= 65_535;
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= addressCharactersMax && value.startsWith("/");
}
