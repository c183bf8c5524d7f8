import { forgetOldest } from "../forget-oldest.ts";
import type { IpAddress, OriginName } from "../units.ts";
import { siteOf } from "../url/site-of.ts";

/** Each has its turn in an hour of looks. */
const originsMax = 500;

/** Origins that a look takes. */
const lookOriginsMax = 5;
/** Fewer that are silent together may be one server's end. */
export const lookOriginsMin = 3;

/** Origins that have answered, one of each address: who is looked at when nobody else does. */
export class AnsweredOrigins {
  /** By address, or by themselves where that is not known; who is to be looked at next stands last. */
  #origins = new Map<IpAddress | OriginName, OriginName>();

  /** Whether there are enough for a look. */
  get suffices(): boolean {
    return this.#origins.size >= lookOriginsMin;
  }

  /** Takes in one that has answered now. */
  remember(origin: OriginName, address: IpAddress): void {
    this.#origins.delete(origin);
    this.#remember(address, origin);
  }

  /** Takes in those that answered in an earlier run, or another member: of sites of which none is known yet. */
  learn(origins: readonly OriginName[]): void {
    const known = new Set([...this.#origins.values()].map(siteOf));
    for (const origin of origins) if (!known.has(siteOf(origin))) this.#remember(origin, origin);
  }

  /** Who is to be looked at now; they come again when all others have had their turn. */
  take(): readonly OriginName[] {
    const origins = [...this.#origins];
    const taken = origins.splice(-lookOriginsMax);
    this.#origins = new Map([...taken, ...origins]);
    return taken.map(([, origin]) => origin);
  }

  #remember(key: IpAddress | OriginName, origin: OriginName): void {
    this.#origins.delete(key);
    this.#origins.set(key, origin);
    forgetOldest(this.#origins, originsMax);
  }
}
