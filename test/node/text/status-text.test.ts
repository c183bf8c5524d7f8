import { describe, expect, it } from "vitest";
import { renderStatus } from "../../../node/text/status-text.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";

const unknown: UrlStatus = {
  url: "http://a.example/",
  state: "unknown",
  attempts: 0,
  owner: "peer-0",
};

const hint = "No job has met this URL; peer inject URL gives it to one.";

describe("renderStatus", () => {
  it("says what to do about a URL that no job has met", () => {
    expect(renderStatus(unknown)).toContain(hint);
  });

  it.each(["invalid-url", "owner-unreachable"] as const)(
    "does not say so of one that is unknown by %s",
    (reason) => {
      const text = renderStatus({ ...unknown, reason });
      expect(text).toContain(reason);
      expect(text).not.toContain(hint);
    },
  );

  it("says so where a body is archived without its end", () => {
    const done = { ...unknown, state: "done", httpStatus: 200, bodyBytes: 1_024 } as const;
    expect(renderStatus(done)).toContain("HTTP 200 (1.0 KiB)\n");
    const cut = renderStatus({ ...done, contentType: "text/html", truncated: true });
    expect(cut).toContain("HTTP 200 (text/html, 1.0 KiB, without its end)\n");
  });

  it("names no owner of what is no URL", () => {
    expect(renderStatus(unknown)).toContain("  owner     peer-0\n");
    expect(renderStatus({ ...unknown, url: "foo", reason: "invalid-url" })).not.toContain("owner");
  });
});
