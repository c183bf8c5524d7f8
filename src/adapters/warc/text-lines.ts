import type { FileHandle } from "node:fs/promises";

/** Longer lines are none: no index has them, so the file is damaged. */
const lineBytesMax = 1_048_576;

/**
 * Whole lines of a file from byte `start` to `end`, with their line feeds, one character for each byte; `readAhead` bytes
 * are read at a time. What follows the last line feed, or stands in a line beyond all measure, is left out with all
 * behind it.
 */
export async function* textLines(
  file: FileHandle,
  start: number,
  end: number,
  readAhead: number,
): AsyncGenerator<readonly string[], void, undefined> {
  let at = start;
  let length = readAhead;
  while (at < end && length <= lineBytesMax) {
    const buffer = Buffer.allocUnsafe(Math.min(length, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    const whole = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
    if (whole === 0 && at + bytesRead >= end) return;
    // A line that is longer than what was read: more is read of it.
    length = whole === 0 ? length * 2 : readAhead;
    if (whole > 0) yield buffer.toString("latin1", 0, whole).match(/[^\n]*\n/g) ?? [];
    at += whole;
  }
}
