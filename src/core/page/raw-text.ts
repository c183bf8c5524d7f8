import { startsWithName } from "./name-table.ts";
import { endsTagName } from "./tag-syntax.ts";

/**
 * Where the end tag of the raw text element `name` begins, whose content begins at `start`; the end of the text if it has
 * none (HTML Standard, sections 13.2.5.9 to 13.2.5.14).
 */
export function rawTextEnd(text: string, start: number, name: string): number {
  for (let at = text.indexOf("</", start); at >= 0; at = text.indexOf("</", at + 2)) {
    const isEnd = startsWithName(text, at + 2, name);
    if (isEnd && endsTagName(text.charCodeAt(at + 2 + name.length))) return at;
  }
  return text.length;
}

/** All that changes the state of a script. */
const scriptMark = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

/**
 * Where the end tag of a script begins. After `<!--`, a script tag within the script has its own end tag, until `-->`
 * (HTML Standard, sections 13.2.5.15 to 13.2.5.31, "script data escaped" and "double escaped" states).
 */
export function scriptEnd(text: string, start: number): number {
  const firstEnd = rawTextEnd(text, start, "script");
  if (!text.slice(start, firstEnd).includes("<!--")) return firstEnd;
  let state: "plain" | "escaped" | "double-escaped" = "plain";
  scriptMark.lastIndex = start;
  for (let mark = scriptMark.exec(text); mark !== null; mark = scriptMark.exec(text)) {
    switch (mark[0].toLowerCase()) {
      case "<!--":
        if (state === "plain") state = "escaped";
        // Its dashes may be those of the `-->`.
        scriptMark.lastIndex = mark.index + 2;
        break;
      case "-->":
        state = "plain";
        break;
      case "<script":
        if (state === "escaped") state = "double-escaped";
        break;
      default:
        if (state !== "double-escaped") return mark.index;
        state = "escaped";
    }
  }
  return text.length;
}
