import { pageColors } from "../../src/core/text/html.ts";

/** The looks of a report, light and dark. */
export const reportStyle = `${pageColors}
:root { --good: #1a7f45; --nobody: #d9dce0; --split: #d0802433; --thin: #4a5fc14d; }
@media (prefers-color-scheme: dark) {
  :root { --good: #58c98a; --nobody: #3a414c; --split: #e09a4433; --thin: #8ea2ff59; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1000px; padding: 40px 20px 64px; color: var(--ink); background: var(--page);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; }
h1.good { color: var(--good); } h1.bad { color: var(--bad); }
h2 { margin: 0 0 4px; font-size: 17px; }
p { margin: 4px 0; color: var(--soft); }
section { margin-top: 20px; padding: 18px 20px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
code { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; color: var(--ink); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--soft); white-space: pre; width: 1%; padding-right: 28px; }
th, td { padding: 4px 12px 4px 0; border-top: 1px solid var(--rule); vertical-align: top; overflow-wrap: anywhere; }
tr:first-child > * { border-top: 0; }
@media (max-width: 600px) { th { white-space: pre-wrap; overflow-wrap: normal; min-width: 8em; padding-right: 12px; } }
section { overflow-x: auto; }
svg { display: block; width: 100%; height: auto; margin-top: 8px; }
section > svg { min-width: 720px; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg text.name, svg text.value { fill: var(--ink); } svg text.headline { font-size: 16px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--rule); fill: none; } .axis { stroke: var(--soft); fill: none; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.nobody { fill: none; stroke: var(--nobody); }
.split { fill: var(--split); } .thin { fill: var(--thin); }
.event { stroke: var(--soft); stroke-dasharray: 2 3; fill: none; }
.crash { stroke: var(--bad); stroke-width: 2; fill: none; } .ended { stroke: var(--ink); stroke-width: 2; fill: none; }
.seeds { fill: var(--card); stroke: var(--ink); } .fault { fill: var(--bad); stroke: var(--card); }
.rings { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 20px; }
.rings svg { max-width: 340px; margin: 8px auto 0; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 10px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend i { display: inline-block; width: 11px; height: 11px; margin-right: 6px; border-radius: 2px; }
details summary { cursor: pointer; font-weight: 600; font-size: 17px; }
ol { margin: 8px 0 0; padding: 0; list-style: none; font-size: 13px; columns: 2; column-gap: 28px; font-variant-numeric: tabular-nums; }
ol li { break-inside: avoid; overflow-wrap: anywhere; } ol .left-out { color: var(--soft); }
`;
