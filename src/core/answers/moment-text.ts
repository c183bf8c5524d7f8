import type { Millis } from "../units.ts";

/** The end of the year 9999, the last one that ISO 8601 writes with four digits. */
const lastMomentMs = 253_402_300_799_999;

/** A time as ISO 8601. What is beyond what that can be is cut: rows come from other peers too. */
export function momentText(atMs: Millis): string {
  const whole = Number.isFinite(atMs) ? Math.floor(atMs) : 0;
  return new Date(Math.min(Math.max(whole, 0), lastMomentMs)).toISOString();
}
