import type { Millis } from "../../src/core/units.ts";
import type { Dice } from "./dice.ts";
import { clogMembers } from "./network-rules.ts";
import type { VirtualNetwork } from "./virtual-network.ts";

/**
 * Clogs members one by one in a random order and frees them in another one (FoundationDB's swizzle, Zhou et al. 2021,
 * section 4.1): it finds what goes wrong when parts come back in an order that nobody thought of.
 *
 * @param pauseMs mean time between two steps
 */
export async function swizzle(
  network: VirtualNetwork,
  dice: Dice,
  members: readonly number[],
  pauseMs: Millis,
): Promise<void> {
  const free = new Map<number, () => void>();
  for (const member of dice.shuffled(members)) {
    free.set(member, network.addRule(clogMembers([member])));
    await network.clock.sleep(dice.exponential(pauseMs));
  }
  for (const member of dice.shuffled(members)) {
    free.get(member)?.();
    await network.clock.sleep(dice.exponential(pauseMs));
  }
}
