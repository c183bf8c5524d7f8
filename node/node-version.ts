/** The oldest Node.js that this program runs on. */
export const nodeMajorMin = 24;

/** Major version of a version text such as `v24.1.0`. */
export function majorOf(version: string): number {
  return Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0);
}
