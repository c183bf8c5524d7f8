/** A figure as it is told: four digits after the point are more than anybody reads. */
export function roundFigure(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
