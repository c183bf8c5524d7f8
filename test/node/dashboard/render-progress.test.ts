import { describe, expect, it } from "vitest";
import { progressView, type ProgressView } from "../../../node/dashboard/progress-view.ts";
import { renderLine, renderPanel } from "../../../node/dashboard/render-progress.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

const view: ProgressView = {
  title: "crawling docs.example",
  pages: 12_345,
  currentRate: 480.4,
  meanRate: 392,
  queued: 3_210,
  activeHosts: 17,
  openRequests: 12,
  failed: 12,
  skipped: 2_345,
  bytes: 1_288_490_189,
  elapsedMs: 83_999,
};

/** The text without its colours. */
function plain(text: string): string {
  return text.replace(/\u001b\[\d+m/g, "");
}

describe("renderPanel", () => {
  it("aligns what it shows", () => {
    expect(renderPanel(view, { columns: 80, color: false })).toEqual([
      "crawling docs.example                                           00:01:23",
      "  pages         12,345   now         480/s   mean         392/s",
      "  queued         3,210   hosts          17   open            12",
      "  received     1.2 GiB   failed         12   skipped      2,345",
    ]);
  });

  it("shows the same in colour", () => {
    const style = { columns: 80, color: true };
    const colored = renderPanel(view, style);
    expect(colored.join("")).toContain("\u001b[2mpages\u001b[0m");
    expect(colored.map(plain)).toEqual(renderPanel(view, { ...style, color: false }));
  });

  it.each([1, 5, 20, 40, 63, 80, 300])("is never wider than %d columns", (columns) => {
    for (const big of [view, { ...view, title: "x".repeat(500), queued: 1e15, note: "paused" }]) {
      for (const line of renderPanel(big, { columns, color: true })) {
        expect(plain(line).length).toBeLessThan(Math.max(columns, 2));
      }
    }
  });

  it("says that a job is paused, and lets no title steer the terminal", () => {
    const [head = ""] = renderPanel(
      { ...view, title: "a\u001b[2J", note: "paused" },
      { columns: 80, color: false },
    );
    expect(head).toContain("a\ufffd[2J (paused)");
  });
});

describe("renderLine", () => {
  it("says it in one line", () => {
    expect(renderLine({ ...view, note: "paused" })).toBe(
      "00:01:23  pages 12,345 (480/s)  queued 3,210  hosts 17  failed 12  skipped 2,345  received 1.2 GiB  paused",
    );
  });
});

describe("progressView", () => {
  const control = new FakePeerControl();
  control.reports.set(
    "a",
    jobReport("a", { pages: 10, queued: 2, activeMs: 5_000, skipped: { robots: 1, depth: 2 } }),
  );
  control.reports.set("b", jobReport("b", { pages: 20, queued: 3, failed: 4, activeMs: 1_000 }));

  it("shows one job with its own time", () => {
    expect(progressView(control.stats(), "a", "t")).toMatchObject({
      pages: 10,
      queued: 2,
      failed: 0,
      skipped: 3,
      elapsedMs: 5_000,
      meanRate: 2,
      currentRate: 12.5,
    });
  });

  it("adds all jobs up under the peer's time", () => {
    const all = progressView(control.stats(), undefined, "t");
    expect(all).toMatchObject({ pages: 30, queued: 5, failed: 4, elapsedMs: 3_725_000 });
  });

  it("shows a job that there is not as nothing", () => {
    expect(progressView(control.stats(), "c", "t")).toMatchObject({ pages: 0, meanRate: 0 });
  });
});
