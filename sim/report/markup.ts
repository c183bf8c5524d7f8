import { escaped } from "../../src/core/text/html.ts";

/** A coordinate with as many digits as a screen shows. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Angle between the hues of neighbours: the golden one, so that any first few differ well. */
const goldenDegrees = 137.508;
const firstHue = 212;

/** A machine's colour in all pictures; it stands out on light and on dark. */
export function machineColor(machine: number): string {
  const hue = Math.round((firstHue + machine * goldenDegrees) % 360);
  // A hue comes near an earlier one after eight machines; then the lightness tells them apart.
  const lightness = 54 - 10 * (Math.floor(machine / 8) % 2);
  return `hsl(${hue} 58% ${lightness}%)`;
}

/** Keys of a picture: colour and name. */
export function legend(keys: readonly (readonly [color: string, name: string])[]): string {
  const shown = keys.map(
    ([color, name]) => `<li><i style="background:${color}"></i>${escaped(name)}</li>`,
  );
  return `<ul class="legend">${shown.join("")}</ul>`;
}

/** A picture that a reader of screens can name. */
export function svg(width: number, height: number, label: string, content: string): string {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${content}</svg>`;
}

/** Text within a picture. */
export function label(
  x: number,
  y: number,
  text: string,
  anchor: "start" | "middle" | "end",
  style = "",
): string {
  const classes = style === "" ? "" : ` class="${style}"`;
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}"${classes}>${escaped(text)}</text>`;
}
