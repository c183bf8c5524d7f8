/** Everything that could move a cursor, change a colour or turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from the web on one line of a terminal: it can neither steer the terminal nor fake another line. */
export function printable(text: string): string {
  return text.replace(unprintable, "\ufffd");
}

/** At most `columns` characters, the end replaced by an ellipsis where it is cut. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns) return text;
  return columns <= 1 ? "…".slice(0, columns) : `${text.slice(0, columns - 1)}…`;
}

/** A word as a shell takes it, in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A sentence as a part of another one: `It was so.` becomes `it was so`. */
export function clause(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

/** A fact with its name; without a value there is nothing to tell. */
export type LabelledRow = readonly [label: string, value: string | undefined];

/** A line for each row that has a value, the values in one column. */
export function labelled(rows: readonly LabelledRow[], indent = ""): string {
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([label, value = ""]) => `${indent}${label.padEnd(10)}${printable(value)}\n`)
    .join("");
}

export type Alignment = "left" | "right";

/** Rows with their columns aligned, two spaces apart and without trailing spaces. */
export function table(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): string {
  const widths = alignments.map((_, column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      alignments
        .map((alignment, column) => {
          const cell = row[column] ?? "";
          const width = widths[column] ?? 0;
          return alignment === "left" ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}
