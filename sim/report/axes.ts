import { label, px } from "./markup.ts";

/** Where the data of a picture lie within it, and which values the edges stand for. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xMax: number;
  readonly yMax: number;
}

/** Room for the labels of the axes. */
const margins = { left: 64, right: 14, top: 26, bottom: 38 } as const;

export function frameOf(width: number, height: number, xMax: number, yMax: number): Frame {
  const upper = yMax > 0 ? yMax : 1;
  const step = niceStep(upper);
  return {
    left: margins.left,
    right: width - margins.right,
    top: margins.top,
    bottom: height - margins.bottom,
    xMax: xMax > 0 ? xMax : 1,
    yMax: Math.ceil(upper / step) * step,
  };
}

export function xOf({ left, right, xMax }: Frame, value: number): number {
  return left + ((right - left) * value) / xMax;
}

export function yOf({ top, bottom, yMax }: Frame, value: number): number {
  return bottom - ((bottom - top) * value) / yMax;
}

/** A step of 1, 2 or 5 times a power of ten, such that about five of them reach `max`. */
export function niceStep(max: number, steps = 5): number {
  const rough = max / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  return factor * power;
}

/** Grid, numbers and names of both axes; the horizontal one is time in seconds. */
export function axes(frame: Frame, yName: string): string {
  return yAxis(frame, yName) + timeAxis(frame);
}

export function timeAxis(frame: Frame): string {
  const { left, right, bottom, xMax } = frame;
  const step = niceStep(xMax, 8);
  let drawn = `<path class="axis" d="M${px(left)} ${px(bottom)}H${px(right)}"/>`;
  for (let at = 0; at <= xMax; at += step) {
    const x = xOf(frame, at);
    drawn += `<path class="axis" d="M${px(x)} ${px(bottom)}v4"/>`;
    drawn += label(x, bottom + 16, tick(at, step), "middle");
  }
  return drawn + label(right, bottom + 32, "virtual time, s", "end", "name");
}

function yAxis(frame: Frame, name: string): string {
  const { left, right, top, yMax } = frame;
  const step = niceStep(yMax);
  let drawn = label(left, top - 12, name, "start", "name");
  for (let at = 0; at <= yMax * 1.000_001; at += step) {
    const y = yOf(frame, at);
    drawn += `<path class="grid" d="M${px(left)} ${px(y)}H${px(right)}"/>`;
    drawn += label(left - 8, y + 4, tick(at, step), "end");
  }
  return drawn;
}

function tick(value: number, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
