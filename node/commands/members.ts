import type { Command } from "commander";
import { renderMembers } from "../text/member-text.ts";
import { questionCommand, type CommandContext } from "./command-context.ts";

/** `peer members`: the swarm as the asked peer sees it. */
export function membersCommand(context: CommandContext): Command {
  const text = {
    name: "members",
    summary: "list the members of the swarm as this peer sees it",
    columns: [
      ["MEMBER", "end of its id; * is the peer that was asked"],
      ["STATE", "suspect: just silent; dead: silent too long; left: gone by itself"],
      ["SHARE", "part of all sites that it crawls"],
      ["QUEUED", "URLs that wait to be fetched there; - where it does not answer"],
      ["PAGES/S", "HTML pages it fetches a second"],
      ["LAG", "time from the question to its answer"],
    ],
    examples: [
      ["peer members", "who is there, and what each one owns and does"],
      ["peer members --json", "with full ids, all addresses, and since when each runs"],
    ],
  } as const;
  return questionCommand(context, text, {
    ask: (client) => client.members(),
    render: renderMembers,
  });
}
