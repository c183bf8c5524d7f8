import { expect, it } from "vitest";
import { contentChunkBytes, type ContentHead } from "../../../src/core/messages/content-message.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { defaultFetchLimits } from "../../../src/peer/fetching/fetch-limits.ts";
import { ContentDesk } from "../../../src/peer/swarm/answers/content-desk.ts";
import { readBytesMax } from "../../../src/ports/archive.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";

const url = "http://a.example/";

/** What a desk gets of another member's archive that has a body of `bodyBytes`. */
function fetched(bodyBytes: number): ReturnType<ContentDesk["fetch"]> {
  const head: ContentHead = {
    url,
    status: 200,
    fetchedAtMs: 0,
    headers: [],
    truncated: true,
    bodyBytes,
  };
  const calls = {
    content: (_peer: MemberId, { from }: { readonly from: number }) => {
      const bytes = new Uint8Array(Math.min(contentChunkBytes, bodyBytes - from));
      return Promise.resolve({ head, bytes });
    },
  };
  const urls = { read: () => Promise.reject(new Error("it is in another archive")) };
  const desk = new ContentDesk(
    { calls, urls, view: { self: "peer-0" as MemberId } },
    readBytesMax(defaultFetchLimits.bodyBytesMax),
  );
  const archive = { peer: "peer-1", file: "a-1.warc.gz", offset: 0, length: 100 };
  const status: UrlStatus = { url, state: "done", attempts: 1, owner: "peer-1", archive };
  return desk.fetch(url, status);
}

it("takes a body from another member that decodes to more than it was cut at", async () => {
  const bodyBytes = defaultFetchLimits.bodyBytesMax + 65_536;
  expect((await fetched(bodyBytes)).body.length).toBe(bodyBytes);
});

it("says of a longer body whom to ask for it", async () => {
  await expect(fetched(200 * 1_024 * 1_024)).rejects.toMatchObject({
    code: "MEMBER_UNREACHABLE",
    message: `peer-1 has ${url}, in 200.0 MiB; that is more than is taken from another peer: ask that one`,
  });
});
