import { counted } from "../../src/core/text/human.ts";
import { label, machineColor, px, svg } from "./markup.ts";
import type { Holdings } from "./run-log.ts";

const size = 320;
const middle = size / 2;
const outer = 148;
const inner = 104;

/** The circle of positions, and which machine holds which arcs of it; what nobody holds stays grey. */
export function drawRing(title: string, holdings: readonly Holdings[]): string {
  const radius = (outer + inner) / 2;
  let drawn = `<circle class="nobody" cx="${middle}" cy="${middle}" r="${radius}" stroke-width="${outer - inner}"/>`;
  for (const { machine, arcs } of holdings) {
    if (arcs.length === 0) continue;
    const name = `peer-${machine}: ${(shareOf(arcs) * 100).toFixed(1)}%`;
    const shape = arcs.map(([from, to]) => sector(from, to)).join("");
    drawn += `<path fill="${machineColor(machine)}" d="${shape}"><title>${name}</title></path>`;
  }
  const shares = holdings.map(({ arcs }) => shareOf(arcs)).filter((share) => share > 0);
  drawn += label(middle, middle - 10, title, "middle", "headline");
  drawn += label(middle, middle + 12, counted(shares.length, "peer"), "middle");
  if (shares.length > 1) {
    const [least, most] = [Math.min(...shares), Math.max(...shares)];
    const range = `${(least * 100).toFixed(1)} to ${(most * 100).toFixed(1)}% each`;
    drawn += label(middle, middle + 30, range, "middle");
  }
  return svg(size, size, `Ownership ${title}`, drawn);
}

function shareOf(arcs: Holdings["arcs"]): number {
  return arcs.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** A piece of the ring between two shares of the circle, from the top on clockwise. */
function sector(from: number, to: number): string {
  // An arc of SVG from a point to itself is nothing, so a long one is drawn in two.
  if (to - from > 0.9) {
    const half = (from + to) / 2;
    return sector(from, half) + sector(half, to);
  }
  const large = to - from > 0.5 ? 1 : 0;
  return [
    `M${point(outer, from)}A${outer} ${outer} 0 ${large} 1 ${point(outer, to)}`,
    `L${point(inner, to)}A${inner} ${inner} 0 ${large} 0 ${point(inner, from)}Z`,
  ].join("");
}

function point(radius: number, share: number): string {
  const angle = 2 * Math.PI * share;
  return `${px(middle + radius * Math.sin(angle))} ${px(middle - radius * Math.cos(angle))}`;
}
