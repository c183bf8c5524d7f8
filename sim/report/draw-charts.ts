import { escaped } from "../../src/core/text/html.ts";
import { formatCount } from "../../src/core/text/human.ts";
import { trafficKinds, type Traffic } from "../world/traffic-counter.ts";
import { axes, frameOf, niceStep, xOf, yOf } from "./axes.ts";
import { label, machineColor, px, svg } from "./markup.ts";
import { ranMs, type RunReport, type Sample } from "./run-log.ts";

const width = 920;
/** Points that one picture has, over all its areas: more are not seen, and make the file large. */
const pointsMax = 20_000;
const pointsPerLineMax = 200;

/** Colours of the kinds of traffic. */
export const trafficColors: Readonly<Record<Traffic, string>> = {
  control: "hsl(212 65% 54%)",
  forwarding: "hsl(28 80% 52%)",
  transfer: "hsl(145 48% 44%)",
  notice: "hsl(320 52% 56%)",
  claim: "hsl(262 52% 62%)",
};

/** Requests answered so far, a page that was fetched again included: an area for each machine, stacked. */
export function drawAnswered({ samples, machines, virtualMs, answered }: RunReport): string {
  const frame = frameOf(width, 300, virtualMs / 1_000, answered);
  const points = Math.min(pointsPerLineMax, Math.max(10, Math.floor(pointsMax / machines)));
  const shown = thinned(samples, points);
  let floor = shown.map(() => 0);
  let areas = "";
  for (let machine = 0; machine < machines; machine += 1) {
    const roof = shown.map((sample, at) => (floor[at] ?? 0) + (sample.answered[machine] ?? 0));
    const at = (values: readonly number[]): string[] =>
      shown.map(
        ({ atMs }, i) => `${px(xOf(frame, atMs / 1_000))} ${px(yOf(frame, values[i] ?? 0))}`,
      );
    const outline = [...at(roof), ...at(floor).reverse()].join("L");
    const title = `<title>peer-${machine}</title>`;
    if (outline !== "") {
      areas += `<path fill="${machineColor(machine)}" d="M${outline}Z">${title}</path>`;
    }
    floor = roof;
  }
  const drawn = axes(frame, "requests answered, by peer") + areas;
  return svg(width, 300, "Requests answered over time by peer", drawn);
}

/** Requests that each machine has had answered in all. */
export function drawLoad({ samples, machines }: RunReport): string {
  const last = samples.at(-1)?.answered ?? [];
  const loads = Array.from({ length: machines }, (_, machine) => last[machine] ?? 0);
  const frame = frameOf(width, 240, machines, Math.max(...loads));
  const { left, right, top, bottom, yMax } = frame;
  const step = (right - left) / machines;
  const barWidth = Math.min(56, step * 0.72);
  // Names stand below every bar while there is room, else below some.
  const nameEvery = Math.ceil(34 / step);
  const valueStep = Math.max(1, niceStep(yMax));
  let drawn = label(left, top - 12, "requests answered", "start", "name");
  for (let at = 0; at <= yMax * 1.000_001; at += valueStep) {
    const y = yOf(frame, at);
    drawn += `<path class="grid" d="M${px(left)} ${px(y)}H${px(right)}"/>`;
    drawn += label(left - 8, y + 4, formatCount(at), "end");
  }
  for (const [machine, load] of loads.entries()) {
    const middle = left + step * (machine + 0.5);
    const y = yOf(frame, load);
    const name = `peer-${machine}: ${formatCount(load)}`;
    drawn += `<rect x="${px(middle - barWidth / 2)}" y="${px(y)}" width="${px(barWidth)}" height="${px(bottom - y)}" fill="${machineColor(machine)}"><title>${name}</title></rect>`;
    if (step >= 34) drawn += label(middle, y - 5, formatCount(load), "middle", "value");
    if (machine % nameEvery === 0) drawn += label(middle, bottom + 16, String(machine), "middle");
  }
  drawn += `<path class="axis" d="M${px(left)} ${px(bottom)}H${px(right)}"/>`;
  drawn += label(right, bottom + 32, "peer", "end", "name");
  return svg(width, 240, "Requests answered by each peer", drawn);
}

/** Messages or bytes a second for each peer that ran then, a line for each kind of traffic. */
export function drawTraffic(report: RunReport, unit: "messages" | "bytes"): string {
  const { lives } = report;
  const shown = thinned(report.samples, pointsPerLineMax / 2);
  const scale = unit === "bytes" ? 1_024 : 1;
  const lines = trafficKinds.map((kind) => ({
    kind,
    rates: ratesOf(shown, lives, ({ traffic }) => traffic[kind][unit] / scale),
  }));
  const highest = Math.max(0, ...lines.flatMap(({ rates }) => rates.map(({ rate }) => rate)));
  const frame = frameOf(width, 240, report.virtualMs / 1_000, highest);
  const name = `${unit === "bytes" ? "KiB" : "messages"} a second and peer`;
  let drawn = axes(frame, name);
  for (const { kind, rates } of lines) {
    const points = rates.map(
      ({ atMs, rate }) => `${px(xOf(frame, atMs / 1_000))},${px(yOf(frame, rate))}`,
    );
    drawn += `<polyline class="line" stroke="${trafficColors[kind]}" points="${points.join(" ")}"><title>${escaped(kind)}</title></polyline>`;
  }
  return svg(width, 240, `${name}, by kind of traffic`, drawn);
}

interface Rate {
  readonly atMs: number;
  readonly rate: number;
}

/** Growth a second of a running total, for each peer that ran, at the end of each step. */
function ratesOf(
  samples: readonly Sample[],
  lives: RunReport["lives"],
  total: (sample: Sample) => number,
): readonly Rate[] {
  const rates: Rate[] = [];
  for (const [at, sample] of samples.entries()) {
    const before = samples[at - 1];
    if (before === undefined || sample.atMs <= before.atMs) continue;
    const growth = (total(sample) - total(before)) * 1_000;
    const ran = Math.max(1, ranMs(lives, before.atMs, sample.atMs));
    rates.push({ atMs: sample.atMs, rate: growth / ran });
  }
  return rates;
}

/** At most about `max` of the samples, evenly, with the first and the last. */
function thinned(samples: readonly Sample[], max: number): readonly Sample[] {
  const stride = Math.ceil(samples.length / max);
  return samples.filter((_, at) => at % stride === 0 || at === samples.length - 1);
}
