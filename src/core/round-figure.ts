/** A figure as it is reported, rounded to four digits after the point. */
export function roundFigure(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
