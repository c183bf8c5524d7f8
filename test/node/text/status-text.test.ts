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

  it("names no owner of what is no URL", () => {
    expect(renderStatus(unknown)).toContain("  owner     peer-0\n");
    expect(renderStatus({ ...unknown, url: "foo", reason: "invalid-url" })).not.toContain("owner");
  });
});
