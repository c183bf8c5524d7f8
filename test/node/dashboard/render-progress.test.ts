import { describe, expect, it } from "vitest";
import type { ProgressView } from "../../../node/dashboard/progress-view.ts";
import { renderLine, renderPanel } from "../../../node/dashboard/render-progress.ts";

/** What is known in any case. */
const known: ProgressView = {
  title: "crawling docs.example",
  pages: 12_345,
  meanRate: 392,
  queued: 3_210,
  failed: 12,
  skipped: 2_345,
  bytes: 1_288_490_189,
  elapsedMs: 83_999,
};

const view: ProgressView = { ...known, currentRate: 480.4, activeHosts: 17, openRequests: 12 };

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

  it.each([40, 63, 64])("shows all of it in %d columns", (columns) => {
    const text = renderPanel(view, { columns, color: false }).join(" ").replace(/ +/g, " ");
    expect(text).toBe(
      "crawling docs.example 00:01:23 pages 12,345 now 480/s mean 392/s queued 3,210 hosts 17 open 12 " +
        "received 1.2 GiB failed 12 skipped 2,345",
    );
  });

  it.each([40, 60, 80])("takes wide characters for two columns, in %d", (columns) => {
    const title = "crawling 東京都庁アーカイブ保存用フォルダの長い名前";
    const [head = ""] = renderPanel({ ...known, title }, { columns, color: false });
    const wide = head.match(/[\u3000-\u9fff]/g)?.length ?? 0;
    expect(wide).toBeGreaterThan(5);
    expect(head.length + wide).toBe(Math.min(columns - 1, 72));
    expect(head.endsWith("  00:01:23")).toBe(true);
  });

  it("has two cells a line where there is no room for three", () => {
    expect(renderPanel(view, { columns: 40, color: false })).toEqual([
      "crawling docs.example          00:01:23",
      "  pages       12,345  now         480/s",
      "  mean         392/s  queued      3,210",
      "  hosts           17  open           12",
      "  received   1.2 GiB  failed         12",
      "  skipped      2,345",
    ]);
  });

  it.each([20, 23])("shows all numbers in %d columns too", (columns) => {
    const [, ...lines] = renderPanel(view, { columns, color: false });
    expect(lines.map((line) => line.trim().replace(/ +/, " "))).toEqual([
      "pages 12,345",
      "now 480/s",
      "mean 392/s",
      "queued 3,210",
      "hosts 17",
      "open 12",
      "received 1.2 GiB",
      "failed 12",
      "skipped 2,345",
    ]);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
  });

  it("leaves the place of what is not known empty", () => {
    expect(renderPanel(known, { columns: 80, color: false }).slice(1, 3)).toEqual([
      "  pages         12,345                       mean         392/s",
      "  queued         3,210",
    ]);
  });

  it("shows the same in colour", () => {
    const style = { columns: 80, color: true };
    const colored = renderPanel(view, style);
    expect(colored.join("")).toContain("\u001b[2mpages\u001b[0m");
    expect(colored.map(plain)).toEqual(renderPanel(view, { ...style, color: false }));
  });

  it.each([1, 5, 20, 40, 63, 80, 300])("is never wider than %d columns", (columns) => {
    for (const big of [
      view,
      { ...view, title: "x".repeat(500), queued: 1e15, note: "paused", trouble: "y".repeat(500) },
    ]) {
      for (const line of renderPanel(big, { columns, color: true })) {
        expect(plain(line).length).toBeLessThan(Math.max(columns, 2));
      }
    }
  });

  it("says below what keeps the job from going on", () => {
    const troubled = { ...view, trouble: "a.example: \u001b[2Jit rests" };
    expect(renderPanel(troubled, { columns: 80, color: false }).slice(3)).toEqual([
      "  received     1.2 GiB   failed         12   skipped      2,345",
      "  a.example: \ufffd[2Jit rests",
    ]);
    expect(renderLine(troubled)).toBe(`${renderLine(view)}  a.example: \ufffd[2Jit rests`);
  });

  it.each([
    [
      80,
      [
        "  www.a.example: too many requests to the host failed within a minute;",
        "  it is paused; tried again in 29.9 s",
      ],
    ],
    [
      50,
      [
        "  www.a.example: too many requests to the host",
        "  failed within a minute; it is paused; tried",
        "  again in 29.9 s",
      ],
    ],
  ])("says in %d columns all of what keeps it, with when it goes on", (columns, lines) => {
    const trouble =
      "www.a.example: too many requests to the host failed within a minute; it is paused; tried again in 29.9 s";
    const panel = renderPanel({ ...view, trouble }, { columns, color: false });
    expect(panel.slice(-lines.length)).toEqual(lines);
  });

  it("takes no more than some lines for what keeps it", () => {
    const trouble = "many words ".repeat(100);
    const style = { columns: 40, color: false };
    const panel = renderPanel({ ...view, trouble }, style);
    expect(panel.length - renderPanel(view, style).length).toBe(4);
    expect(panel.at(-1)).toMatch(/…$/);
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
  it("says nothing of what is not known", () => {
    expect(renderLine(known)).toBe(
      "00:01:23  pages 12,345  queued 3,210  failed 12  skipped 2,345  received 1.2 GiB",
    );
  });

  it("says it in one line", () => {
    expect(renderLine({ ...view, note: "paused" })).toBe(
      "00:01:23  pages 12,345 (480/s)  queued 3,210  hosts 17  failed 12  skipped 2,345  received 1.2 GiB  paused",
    );
  });
});
