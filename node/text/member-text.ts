import type { MemberDocument } from "../../src/adapters/http-api/peer-routes.ts";
import { formatCount, formatRate } from "../../src/core/text/human.ts";
import { headedTable, printable, type Table } from "./terminal-text.ts";

/** Characters of a member's id that tell it from the others of its swarm; all ids begin alike. */
const idCharacters = 8;

/** The end of a member's id. Other names of peers are short already. */
export function shortId(id: string): string {
  return printable(id.length > 16 ? id.slice(-idCharacters) : id);
}

/** `/ip4/192.0.2.1/tcp/7781/p2p/ID` as `192.0.2.1:7781`; what is of another form stays as it is. */
export function shortAddress(address: string): string {
  const match = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d+)(?:\/p2p\/[^/]+)?$/.exec(address);
  const [, kind, host, port] = match ?? [];
  if (host === undefined || port === undefined) return printable(address);
  return printable(kind === "ip6" ? `[${host}]:${port}` : `${host}:${port}`);
}

export function renderMembers(members: readonly MemberDocument[]): string {
  return headedTable(memberTable(members));
}

/** The members of a swarm, the asked one marked. */
export function memberTable(members: readonly MemberDocument[]): Table {
  const heads = ["MEMBER", "ADDRESS", "STATE", "SHARE", "QUEUED", "PAGES/S", "LAG", "VERSION"];
  const rows = members.map((member, at) => [
    `${shortId(member.id)}${at === 0 ? " *" : ""}`,
    addressText(member.addresses),
    member.state,
    `${(member.share * 100).toFixed(1)}%`,
    member.stats === undefined ? "-" : formatCount(member.stats.queued),
    member.stats === undefined ? "-" : formatRate(member.stats.pagesPerSecond),
    member.stats === undefined ? "-" : `${formatCount(member.stats.lagMs)} ms`,
    printable(member.version),
  ]);
  const right = "right" as const;
  const left = "left" as const;
  return { heads, rows, alignments: [left, left, left, right, right, right, right, left] };
}

/** One address for the table, where another machine reaches it if there is one. */
function addressText(addresses: readonly string[]): string {
  const readable = addresses.map(shortAddress);
  const [first] = readable;
  if (first === undefined) return "-";
  const outside = readable.find((address) => !/^(127\.|\[::1\])/.test(address));
  return outside ?? first;
}
