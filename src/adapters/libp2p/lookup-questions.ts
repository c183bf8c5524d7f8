import type { KadDHT } from "@libp2p/kad-dht";
import { invariant } from "../../core/errors.ts";

/** Where a member is, and whether one is there: all that members ask each other. */
const questions: readonly string[] = ["FIND_NODE", "PING"];

/** What the class of the lookup has beside the type that its package tells of. */
interface Insides {
  readonly rpc?: { readonly handlers?: Record<string, unknown> };
}

/**
 * The distributed hash table for members alone: it keeps no values and no providers for others. Each question for
 * providers goes through all that is kept, whose amount others decide, and a second's worth of such questions would let
 * nothing else of this process run for several.
 */
export function membersOnly<Components>(
  newLookup: (components: Components) => KadDHT,
): (components: Components) => KadDHT {
  return (components) => {
    const lookup = newLookup(components);
    const handlers = (lookup as unknown as Insides).rpc?.handlers;
    invariant(
      handlers !== undefined && questions.every((question) => question in handlers),
      "the insides of the lookup are known",
    );
    for (const kind of Object.keys(handlers)) {
      // A stream on which it is asked for nevertheless is reset.
      if (!questions.includes(kind)) Reflect.deleteProperty(handlers, kind);
    }
    return lookup;
  };
}
