/** Everything that could move a cursor, change a colour or turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from the web on one line of a terminal: it can neither steer the terminal nor fake another line. */
export function printable(text: string): string {
  return text.replace(unprintable, "\ufffd");
}

/** What takes two columns: characters of East Asia (Unicode Standard Annex #11, wide and full-width), and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks that stand on the character before them. */
const combining = /[\p{Mn}\p{Me}]/u;

/** Columns of a terminal that `text` takes. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) {
    if (!combining.test(character)) columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}

/** `text` in at most `columns`, the end replaced by an ellipsis where it is cut. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let left = columns - 1;
  let kept = "";
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** `text` broken between words into lines of at most `columns`, and at most `linesMax`: what has no room is cut. */
export function wrapped(text: string, columns: number, linesMax: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    const isLast = lines.length === linesMax - 1;
    if (line !== "" && !isLast && columnsOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((each) => cut(each, columns));
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

/** What is told in columns, wherever it is shown. */
export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of each column. */
  readonly alignments: readonly Alignment[];
}

/** The table for a terminal. */
export function headedTable({ heads, rows, alignments }: Table): string {
  return table([heads, ...rows], alignments);
}

/** Of each column of a table how wide it is. */
export function widthsOf(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => columnsOf(row[column] ?? ""))),
  );
}

/** Rows with their columns aligned, two spaces apart and without trailing spaces. */
export function table(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  widths = widthsOf(rows, alignments.length),
): string {
  return rows
    .map((row) =>
      alignments
        .map((alignment, column) => {
          const cell = row[column] ?? "";
          const space = " ".repeat((widths[column] ?? 0) - columnsOf(cell));
          return alignment === "left" ? cell + space : space + cell;
        })
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}
