/** What a command has printed as JSON, a document a line. */
export function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}
