import { pageColors } from "../../src/core/text/html.ts";

/** The looks of the pages, light and dark. */
export const swarmPagesStyle = `${pageColors}
:root { --link: #2457a6; }
@media (prefers-color-scheme: dark) { :root { --link: #8db8f8; } }
body { margin: 0 auto; max-width: 1100px; padding: 32px 20px 48px; color: var(--ink); background: var(--page);
  font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 0 0 8px; font-size: 16px; }
p { margin: 2px 0 8px; color: var(--soft); } .bad { color: var(--bad); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 20px 0 0; }
dl div { padding: 12px 16px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-size: 22px; line-height: 1.3; white-space: nowrap; }
section { margin-top: 16px; padding: 14px 18px; overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
table { width: 100%; border-collapse: collapse; white-space: nowrap; }
th, td { padding: 5px 18px 5px 0; text-align: left; font-weight: 400; } th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 12px; } tbody > tr > * { border-top: 1px solid var(--rule); } .right { text-align: right; }
tbody tr > :not(.right) { min-width: 8em; white-space: normal; }
.right + :not(.right) { padding-left: 18px; }
form { display: flex; gap: 10px; margin-top: 20px; }
input, button { padding: 8px 12px; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 8px; font: inherit; }
input { flex: 1; min-width: 0; } button { cursor: pointer; }
pre { margin: 0; white-space: pre-wrap; font: 14px/1.6 ui-monospace, monospace; }
footer { margin-top: 14px; color: var(--soft); font-size: 13px; } footer a { margin-right: 8px; }
section p:last-child { margin: 10px 0 0; }
`;
