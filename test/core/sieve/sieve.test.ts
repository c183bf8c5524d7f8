import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Sieve } from "../../../src/core/sieve/sieve.ts";
import type { SieveOptions } from "../../../src/core/sieve/sieve.ts";
import { wordsOf } from "./words.ts";

interface Key {
  readonly space: number;
  readonly n: number;
}

const nameOf = ({ space, n }: Key): string => `${space} ${n}`;

/** A Bloom filter so small that it is positive for nearly everything, and a cache that forgets soon. */
const erring: Partial<SieveOptions> = {
  capacity: 1,
  falsePositiveRate: 0.9,
  cacheCapacity: 32,
  unsettledOffersMax: 32,
};

const exact: Partial<SieveOptions> = { ...erring, capacity: 500, falsePositiveRate: 0.001 };

const filters = [
  ["errs nearly always", erring],
  ["errs hardly ever", exact],
] as const;

/** The admission loop in small, with a set in place of the store; what it admits becomes visible one batch late. */
class Admission {
  readonly admitted: string[] = [];
  asks = 0;
  #sieve: Sieve;
  readonly #store = new Set<string>();
  #underWay: string[] = [];

  constructor(sieve: Sieve) {
    this.#sieve = sieve;
  }

  offer(batch: readonly Key[]): void {
    this.begin(batch)();
    expect(this.#sieve.unsettled).toBe(0);
  }

  /** Offers a batch and asks the store; the returned function settles what was asked. */
  begin(batch: readonly Key[]): () => void {
    const fresh: string[] = [];
    const asked: { readonly key: Key; readonly existed: boolean }[] = [];
    for (const key of batch) {
      const answer = this.#sieve.offer(key.space, wordsOf(key.n), 0);
      if (answer === "new") fresh.push(nameOf(key));
      else if (answer === "ask") asked.push({ key, existed: this.#store.has(nameOf(key)) });
    }
    this.asks += asked.length;
    return () => {
      for (const { key, existed } of asked) {
        this.#sieve.settle(key.space, wordsOf(key.n), 0, existed);
        if (!existed) fresh.push(nameOf(key));
      }
      this.commit();
      this.#underWay = fresh;
      this.admitted.push(...fresh);
    };
  }

  commit(): void {
    for (const name of this.#underWay) this.#store.add(name);
    this.#underWay = [];
  }

  /** The process ends and another goes on with what the store has: a snapshot, and the keys admitted after it. */
  restart(options: Partial<SieveOptions>, chunks: readonly Uint8Array[], later: number): void {
    this.commit();
    const restored = Sieve.restore(options, chunks);
    for (const name of this.admitted.slice(later)) {
      const [space, n] = name.split(" ").map(Number);
      restored?.add(space ?? 0, wordsOf(n ?? 0), 0);
    }
    this.#sieve = restored ?? new Sieve(options);
  }
}

const batches = fc.array(
  fc.array(fc.record({ space: fc.constantFrom(0, 7), n: fc.nat({ max: 60 }) }), { maxLength: 16 }),
  { maxLength: 30 },
);

describe("Sieve", () => {
  it.each(filters)(
    "lets every key out exactly once, when the Bloom filter %s",
    (_what, options) => {
      fc.assert(
        fc.property(batches, (offered) => {
          const admission = new Admission(new Sieve(options));
          for (const batch of offered) admission.offer(batch);
          const distinct = new Set(offered.flat().map(nameOf));
          expect(admission.admitted.toSorted()).toEqual([...distinct].sort());
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(filters)(
    "lets every key out exactly once when a batch comes before the last one is settled and the Bloom filter %s",
    (_what, options) => {
      // From an offer to the store's answers: its own batch of at most 16, and the three after it.
      const remembers = { ...options, cacheCapacity: 64, unsettledOffersMax: 64 };
      fc.assert(
        fc.property(batches, (offered) => {
          const admission = new Admission(new Sieve(remembers));
          let settleLast = (): void => undefined;
          for (const batch of offered) {
            const settle = admission.begin(batch);
            settleLast();
            settleLast = settle;
          }
          settleLast();
          const distinct = new Set(offered.flat().map(nameOf));
          expect(admission.admitted.toSorted()).toEqual([...distinct].sort());
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(filters)(
    "lets every key out exactly once across a restart, when the Bloom filter %s",
    (_what, options) => {
      fc.assert(
        fc.property(batches, batches, batches, (first, second, third) => {
          const sieve = new Sieve(options);
          const admission = new Admission(sieve);
          for (const batch of first) admission.offer(batch);
          const chunks = [...sieve.snapshot()];
          const later = admission.admitted.length;
          for (const batch of second) admission.offer(batch);
          admission.restart(options, chunks, later);
          for (const batch of third) admission.offer(batch);
          const distinct = new Set([...first, ...second, ...third].flat().map(nameOf));
          expect(admission.admitted.toSorted()).toEqual([...distinct].sort());
        }),
      );
    },
  );

  it("answers new, then seen, and asks again only after the cache has forgotten", () => {
    const sieve = new Sieve({ capacity: 1000, cacheCapacity: 4, unsettledOffersMax: 4 });
    const offer = (n: number): string => sieve.offer(1, wordsOf(n), 0);
    expect([offer(1), offer(1), sieve.offer(2, wordsOf(1), 0)]).toEqual(["new", "seen", "new"]);
    for (let n = 100; n < 110; n++) expect(offer(n)).toBe("new");
    expect(offer(1)).toBe("ask");
    expect(sieve.unsettled).toBe(1);
    expect(offer(1)).toBe("seen");
    sieve.settle(1, wordsOf(1), 0, true);
    expect(sieve.unsettled).toBe(0);
    expect(sieve.size).toBe(12);
  });

  it("asks rarely for keys that it has never seen", () => {
    const sieve = new Sieve({ capacity: 1000 });
    let asks = 0;
    for (let n = 0; n < 30_000; n++) {
      if (sieve.offer(1, wordsOf(n), 0) !== "ask") continue;
      sieve.settle(1, wordsOf(n), 0, false);
      asks++;
    }
    expect(asks).toBeLessThan(300);
    expect(sieve.size).toBe(30_000);
  });

  it("may have what was offered or added, and certainly not what was not", () => {
    const sieve = new Sieve();
    sieve.offer(1, wordsOf(1), 0);
    sieve.add(1, wordsOf(2), 0);
    expect([1, 2, 3].map((n) => sieve.mayHave(1, wordsOf(n), 0))).toEqual([true, true, false]);
    expect(sieve.offer(1, wordsOf(2), 0)).toBe("ask");
  });

  it("refuses a promise that its cache cannot keep", () => {
    expect(() => new Sieve({ cacheCapacity: 64, unsettledOffersMax: 65 })).toThrow(/65 offers/u);
  });

  it("stops when a key is settled that was not asked, or too late", () => {
    const sieve = new Sieve({ ...erring, cacheCapacity: 2, unsettledOffersMax: 2 });
    expect(() => sieve.settle(1, wordsOf(1), 0, true)).toThrow(/not been asked/u);
    sieve.add(1, wordsOf(1), 0);
    expect(sieve.offer(1, wordsOf(1), 0)).toBe("ask");
    for (let n = 2; n < 10; n++) sieve.offer(1, wordsOf(n), 0);
    expect(() => sieve.settle(1, wordsOf(1), 0, true)).toThrow(/left the cache/u);
  });

  it("gives no sieve for a damaged snapshot", () => {
    const chunks = [...new Sieve().snapshot()];
    expect(Sieve.restore({}, chunks)).toBeDefined();
    expect(Sieve.restore({}, chunks.slice(1))).toBeUndefined();
  });
});
