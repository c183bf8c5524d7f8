import fc from "fast-check";
import { expect, it } from "vitest";
import { packLinks, unpackLinks } from "../../../../src/core/page/packed-links.ts";
import type { CanonicalUrl, JobId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { intakesOf } from "../../../../src/peer/swarm/exchange/intake.ts";
import type { BroughtUrl } from "../../../../src/peer/swarm/exchange/intake.ts";

const registry = new JobRegistry();
const jobs = ["one", "other"].map((id) => registry.define(id as JobId));

/** Few values of each kind, so that neighbours are often alike. */
const brought = fc
  .array(
    fc.record({
      page: fc.nat(20),
      job: fc.constantFrom(...jobs),
      depth: fc.nat(1),
      via: fc.constantFrom(undefined, "http://a.example/"),
      redirectChain: fc.constantFrom<string[]>([], ["http://b.example/"], ["http://d.example/"]),
      reason: fc.constantFrom(undefined, "scope" as const),
    }),
    { maxLength: 30 },
  )
  .map((rows) =>
    rows.map(({ page, job, reason, via, ...rest }, at): BroughtUrl => {
      const url = `http://c.example/${page}` as CanonicalUrl;
      const entry = { url, job: job.definition.id, ...rest, ...(via !== undefined && { via }) };
      return { place: 2 * at + 1, url, entry, job, reason };
    }),
  );

it("takes in every URL once, with what its message says of it", () => {
  fc.assert(
    fc.property(brought, (urls) => {
      const taken = intakesOf(urls).flatMap(({ request, places }) => {
        const { job, links, excluded, depth, via, redirectChain } = request;
        const kinds = [{ reason: undefined, links }, ...excluded];
        const texts = kinds.flatMap(({ reason, links: some }) =>
          unpackLinks(some).map((url) => ({ url, reason })),
        );
        expect(places).toHaveLength(texts.length);
        return texts.map(({ url, reason }, at) => {
          const entry = { url, job: job.definition.id, depth, redirectChain };
          const whole = { ...entry, ...(via !== undefined && { via }) };
          return { place: places[at], url, entry: whole, job, reason };
        });
      });
      expect(taken).toEqual(urls);
    }),
  );
});

it("takes in as one what differs in nothing but the URL", () => {
  fc.assert(
    fc.property(brought, (urls) => {
      const plain = urls.map((url) => ({ ...url, entry: { ...url.entry, redirectChain: [] } }));
      const kinds = plain.map(({ entry: { depth, via }, job, reason }) =>
        [job.definition.id, depth, via, reason].join(),
      );
      const changes = kinds.filter((kind, at) => kind !== kinds[at - 1]);
      expect(intakesOf(plain)).toHaveLength(changes.length);
    }),
  );
});

it.each([true, false])("has the key of its page as its job has it (%s)", (normalizeQuery) => {
  const job = registry.define(`query-${normalizeQuery}`, { normalizeQuery });
  const url = "http://c.example/?b=2&a=1" as CanonicalUrl;
  const entry = { url, job: job.definition.id, depth: 0, redirectChain: [] };
  const [intake] = intakesOf([{ place: 0, url, entry, job, reason: undefined }]);
  expect(intake?.request.links).toEqual(packLinks([url], normalizeQuery));
});
