import type { Millis } from "../../../src/core/units.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import type { Store } from "../../../src/ports/store.ts";

/** The store with some of its methods replaced. */
export function storeWith(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A disk whose look-ups take so long, so that rows come in between one and what follows from it. */
export function slowLookUps(readMs: Millis): (ports: PeerPorts) => PeerPorts {
  return (ports) => {
    const { clock, store } = ports;
    const getMany: typeof store.getMany = async (keys) => {
      await clock.sleep(readMs);
      return store.getMany(keys);
    };
    return { ...ports, store: storeWith(store, { getMany }) };
  };
}
