import { createHash } from "node:crypto";
import type { SwarmPages } from "../../src/adapters/http-api/page-routes.ts";
import type { MemberDocument, StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import type { SwarmJobReport, UrlStatus } from "../../src/ports/peer-control.ts";
import { escaped, htmlPage, htmlSection } from "../../src/core/text/html.ts";
import { formatCount, formatDuration, formatRate } from "../../src/core/text/human.ts";
import { jobTable, renderJobDetails } from "../text/job-text.ts";
import { memberTable, shortId } from "../text/member-text.ts";
import { renderStatus } from "../text/status-text.ts";
import type { Table } from "../text/terminal-text.ts";
import { swarmPagesStyle } from "./swarm-pages-style.ts";

/** Seconds after which a browser asks again. */
const refreshSeconds = 5;

const refresh = `<meta http-equiv="refresh" content="${refreshSeconds}">`;

const styleHash = createHash("sha256").update(swarmPagesStyle).digest("base64");

/** What `peer stats`, `peer jobs`, `peer members` and `peer status` tell, for a browser. */
export const swarmPages: SwarmPages = {
  policy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  swarm,
  job,
  url,
  failure,
};

function swarm(stats: StatsDocument, members: readonly MemberDocument[]): string {
  const peer = shortId(stats.peer);
  const title = `${formatRate(stats.pagesPerSecond)} pages/s - Orbweaver ${peer}`;
  return page(title, refresh, [
    "<h1>Orbweaver</h1>",
    `<p>as peer ${escaped(peer)} sees it, version ${escaped(stats.version)}, up ${formatDuration(stats.upMs)}</p>`,
    `<dl>${figures(stats).join("")}</dl>`,
    jobs(stats),
    htmlSection("Members", tableOf(memberTable(members), escaped), silence(stats)),
    `<footer>Anew every ${refreshSeconds} s. <a href="/url">Ask for a URL</a> <a href="/v1/stats">JSON</a> <a href="/metrics">Metrics</a></footer>`,
  ]);
}

function job(report: SwarmJobReport): string {
  const { id } = report.definition;
  const query = encodeURIComponent(id);
  return page(`Job ${id} - Orbweaver`, refresh, [
    `<h1>Job ${escaped(id)}</h1>`,
    `<section>${tableOf(jobTable([report]), escaped)}</section>`,
    `<section><pre>${escaped(renderJobDetails(report))}</pre></section>`,
    `<footer>Anew every ${refreshSeconds} s. <a href="/">The swarm</a> <a href="/v1/urls?job=${query}&amp;broken">Broken links</a> <a href="/v1/jobs/${query}">JSON</a></footer>`,
  ]);
}

function url(asked = "", status?: UrlStatus): string {
  return page("A URL - Orbweaver", "", [
    "<h1>A URL</h1>",
    "<p>what became of it, or why it is not crawled</p>",
    `<form action="/url"><input name="url" type="url" required autofocus aria-label="URL" placeholder="https://example.com/" value="${escaped(asked)}"><button>Ask</button></form>`,
    status === undefined ? "" : `<section>${answer(asked, status)}</section>`,
    `<footer><a href="/">The swarm</a></footer>`,
  ]);
}

function failure(problem: string): string {
  return page("No answer - Orbweaver", refresh, [
    "<h1>Orbweaver</h1>",
    `<p class="bad">${escaped(problem)}</p>`,
    `<footer>Anew every ${refreshSeconds} s. <a href="/">The swarm</a> <a href="/url">Ask for a URL</a></footer>`,
  ]);
}

function page(title: string, head: string, content: readonly string[]): string {
  return htmlPage({ title, style: swarmPagesStyle, head, content: content.join("\n") });
}

function answer(asked: string, status: UrlStatus): string {
  const text = `<pre>${escaped(renderStatus(status))}</pre>`;
  if (status.archive === undefined) return text;
  return `${text}<p><a href="/v1/content?url=${encodeURIComponent(asked)}">The archived body</a></p>`;
}

function figures({
  pagesPerSecond,
  queued,
  openRequests,
  activeHosts,
  members,
  silent,
}: StatsDocument): string[] {
  const told = [
    ["pages/s", formatRate(pagesPerSecond)],
    ["URLs queued", formatCount(queued)],
    ["requests open", formatCount(openRequests)],
    ["hosts in memory", formatCount(activeHosts)],
    ["members", formatCount(members.length + silent.length)],
  ] as const;
  return told.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
}

function jobs({ jobs: reports }: StatsDocument): string {
  if (reports.length === 0) {
    return htmlSection("Jobs", "<p>None yet: <code>peer inject URL</code> makes one.</p>");
  }
  const linked = (id: string): string =>
    `<a href="/job?id=${encodeURIComponent(id)}">${escaped(id)}</a>`;
  return htmlSection("Jobs", tableOf(jobTable(reports), linked));
}

/** What is missing from the sums. */
function silence({ silent }: StatsDocument): string {
  if (silent.length === 0) return "";
  const names = silent.map(shortId).join(", ");
  return `<p class="bad">${escaped(names)}: no answer, and not in the sums above</p>`;
}

/** @param first how the first cell of a row is shown, which names it */
function tableOf({ heads, rows, alignments }: Table, first: (text: string) => string): string {
  const side = (column: number): string => (alignments[column] === "right" ? ` class="right"` : "");
  const head = heads.map((text, column) => `<th scope="col"${side(column)}>${escaped(text)}</th>`);
  const body = rows.map(([name = "", ...others]) => {
    const cells = others.map((text, at) => `<td${side(at + 1)}>${escaped(text)}</td>`);
    return `<tr><th scope="row">${first(name)}</th>${cells.join("")}</tr>`;
  });
  return `<table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}
