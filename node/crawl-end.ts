import { formatCount } from "../src/core/text/human.ts";
import { statusUrlsMax, type PeerControl } from "../src/ports/peer-control.ts";
import { crawlJobDefault, isCancelled, type CrawlPlan } from "./crawl-plan.ts";
import type { Standstill } from "./dashboard/standstill.ts";
import type { SeedsLeft } from "./seeds-left.ts";
import { clause, printable, shellWord } from "./text/terminal-text.ts";

/** Redirects that are followed: a crawl follows no more of them in a row. */
const hopsMax = 10;

/** Jobs that are named of those that are left, at most. */
const jobsNamedMax = 3;

/** Says whole lines to people. */
export type Say = (lines: string) => void;

/** How a command says what went wrong, and that it has failed. */
interface Complaint {
  readonly fail: () => void;
  readonly say: Say;
}

/** A crawl of which nothing goes on any more. */
interface EndedCrawl {
  readonly plan: CrawlPlan;
  /** Whether there was nothing left to do. */
  readonly again: boolean;
  /** Whether a stop was asked for. */
  readonly isStopped: boolean;
  readonly left: SeedsLeft;
  readonly standstill: Standstill;
}

/** Says what a crawl lacks, and why. Of one whose job was cancelled nothing more was wanted. */
export async function sayEnd(
  control: Pick<PeerControl, "job" | "status">,
  { again, isStopped, left, plan, standstill }: EndedCrawl,
  complaint: Complaint,
): Promise<void> {
  const report = control.job(plan.job);
  if (isCancelled(report)) return;
  if (report.finished) await sayWhatLacks(control, plan, again, complaint);
  else if (!isStopped) await sayHalted(plan, standstill, complaint);
  await sayLeft(left, complaint);
}

/**
 * Says of a crawl that is finished what it lacks. One that got no answer at all has failed, and is told which seed was given
 * up; one that is run again too, since what is given up stays so in its job; one without a page, why there is none.
 */
async function sayWhatLacks(
  control: Pick<PeerControl, "job" | "status">,
  plan: CrawlPlan,
  again: boolean,
  complaint: Complaint,
): Promise<void> {
  const { fetched, pages } = control.job(plan.job).counts;
  const failed = fetched === 0;
  if (failed) complaint.fail();
  if (failed || again) await sayGivenUp(control, plan, failed, complaint);
  if (!failed && pages === 0) await sayNoPage(control, plan, complaint);
}

/** Says which seed was given up, and what helps; of more seeds than can be asked for at once, the first are looked through. */
async function sayGivenUp(
  control: Pick<PeerControl, "status">,
  { urls, job }: CrawlPlan,
  failed: boolean,
  { say }: Pick<Complaint, "say">,
): Promise<void> {
  const statuses = await control.status(urls.slice(0, statusUrlsMax), job);
  const givenUp = statuses.find(
    ({ state, httpStatus }) =>
      (state === "done" && httpStatus === undefined) || state === "excluded",
  );
  if (givenUp === undefined) {
    const again = `run it again with ${["its URL", ...jobWords(job)].join(" ")} to be told why`;
    const hint = urls.length === 0 ? `; ${again}` : "";
    if (failed) say(`peer: nothing could be fetched${hint}\n`);
    return;
  }
  const { url, reason, detail = reason ?? "no reason is known" } = givenUp;
  const flag = reason === "address-forbidden" ? " with --allow-private" : "";
  say(
    `peer: ${failed ? "nothing" : "not all"} could be fetched; ${printable(url)}: ${clause(detail)}; ` +
      `to try again${flag}, begin anew with --job NAME or another --out DIR\n`,
  );
}

/** Says what came of the first seed, or of where it leads, unless that is well: then it is something else than a page. */
async function sayNoPage(
  control: Pick<PeerControl, "status">,
  { urls, job }: CrawlPlan,
  { say }: Pick<Complaint, "say">,
): Promise<void> {
  let [status] = await control.status(urls.slice(0, 1), job);
  for (let hop = 0; hop < hopsMax && status?.redirect !== undefined; hop += 1) {
    if (status.reason !== undefined) break;
    [status] = await control.status([status.redirect], job);
  }
  if (status === undefined) return;
  const { detail, httpStatus = 0, reason } = status;
  if (httpStatus >= 200 && httpStatus <= 299) return;
  const answer = httpStatus === 0 ? "" : `: the server answers with ${httpStatus}`;
  const why = detail ?? reason;
  say(
    `peer: there is no page; ${printable(status.url)}${answer}${why === undefined ? "" : `: ${clause(why)}`}\n`,
  );
}

/** Says of a crawl that can go no further, since all its hosts are halted, which one is, and how it is let back. */
async function sayHalted(
  { out }: CrawlPlan,
  standstill: Standstill,
  { fail, say }: Complaint,
): Promise<void> {
  fail();
  const rest = await standstill.rest();
  const data = `--data ${shellWord(out)}`;
  const why =
    rest === undefined
      ? "its hosts are halted"
      : `${rest.text}; to let it back sooner: peer ${data}, and then peer host ${rest.host} --release ${data}`;
  say(`peer: not all could be fetched; ${why}\n`);
}

/** Says of a crawl that an interruption has cut off from the rest of its seeds that it has not all of them. */
async function sayLeft(left: SeedsLeft, { fail, say }: Complaint): Promise<void> {
  if (left.file === undefined) return;
  fail();
  const help = `if another file has brought them since, remove ${shellWord(left.path)}`;
  const name = left.file === "-" ? "standard input" : printable(left.file);
  const gone = (await left.isGone()) ? `, and that file is not found; ${help}` : "";
  say(`peer: not all URLs of ${name} are in the crawl: it was interrupted meanwhile${gone}\n`);
}

/** How a crawl is continued that is not finished: with the file that it was cut off from, where that is still there. */
export async function adviceText(
  { job, out }: { readonly job: string; readonly out: string },
  left: SeedsLeft,
): Promise<string> {
  const file = (await left.isGone()) ? undefined : left.file;
  // Without seeds the last job goes on by itself.
  const seeds = file === undefined ? [] : ["--file", shellWord(file), ...jobWords(job)];
  const input = file === "-" ? ", with the same URLs on standard input" : "";
  const words = ["peer crawl", ...seeds, "--out", shellWord(out)];
  return `continue with: ${words.join(" ")}${input}\n`;
}

/** Which other jobs of the directory are not finished: they stop with the crawl. Empty where there are none. */
export function othersLeftText(
  control: Pick<PeerControl, "jobs">,
  { job, out }: Pick<CrawlPlan, "job" | "out">,
): string {
  const others = control.jobs().filter(({ definition }) => definition.id !== job);
  const left = others.flatMap(({ definition, finished }) => (finished ? [] : definition.id));
  const [first] = left;
  if (first === undefined) return "";
  const named = left.slice(0, jobsNamedMax);
  const more = left.length - named.length;
  const names = [...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(", ");
  const help = `peer crawl --job ${shellWord(first)} --out ${shellWord(out)}`;
  return `also left in ${out}, not finished: ${names}; to go on with ${first}: ${help}\n`;
}

/** What names a job to a command line that has seeds. */
function jobWords(job: string): readonly string[] {
  return job === crawlJobDefault ? [] : ["--job", shellWord(job)];
}
