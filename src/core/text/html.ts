/** Text as it may stand in HTML and in attributes in double quotes. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

export interface HtmlPage {
  readonly title: string;
  readonly style: string;
  /** Markup beside title and style in the head. */
  readonly head?: string;
  /** Markup of the body. */
  readonly content: string;
}

/** A whole document that needs nothing else. */
export function htmlPage({ title, style, head = "", content }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${content}
</body>
</html>
`;
}

/** A part of a page under a heading of its own; note and content are markup. */
export function htmlSection(heading: string, content: string, note = ""): string {
  return `<section><h2>${escaped(heading)}</h2>${note}${content}</section>`;
}

/** What all pages have in common of their looks, light and dark: the names of their colours. */
export const pageColors = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6575; --page: #fbfbfa; --card: #fff; --rule: #e3e5e8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --soft: #98a3b3; --page: #14171c; --card: #1c2027; --rule: #2e343d; --bad: #ff8a80; }
}`;
