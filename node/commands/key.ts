import { Command } from "commander";
import { CrawlError, errorCode, isNoSpace } from "../../src/core/errors.ts";
import { usageError } from "../error-line.ts";
import { systemReason, writingFile } from "../system-reason.ts";
import { writeSecret } from "../whole-file.ts";
import {
  examplesText,
  newCommand,
  printJson,
  refuseUnknown,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** `peer key`: the key that closes a swarm. */
export function keyCommand(context: CommandContext): Command {
  const text = {
    name: "new",
    summary: "make a key that closes a swarm to all peers that do not have it",
    examples: [
      ["peer key new swarm.key", "into a file that only this user may read"],
      ["peer --join 192.0.2.1:7781 --swarm-key swarm.key", "and with it into the swarm"],
    ],
  } as const;
  const key = new Command("key")
    .description("make the key of a closed swarm")
    .addHelpText("after", () => examplesText(text.examples))
    .allowExcessArguments()
    .action(() => {
      refuseUnknown(key, key.args);
      key.help({ error: true });
    });
  key.addCommand(
    newCommand(text, [])
      .argument("[file]", "where to write it; without one it is printed")
      .action((file: string | undefined, _options: unknown, command: Command) =>
        newKey(context, command, file),
      ),
  );
  return key;
}

async function newKey(
  context: CommandContext,
  command: Command,
  file: string | undefined,
): Promise<void> {
  const { stderr, stdout } = context.terminal;
  const { formatSwarmKey, newSwarmKey } = await import("../../src/adapters/libp2p/swarm-key.ts");
  const key = formatSwarmKey(newSwarmKey());
  if (file !== undefined) await writeKey(file, key);
  if (wantsJson(command)) await printJson(context, file === undefined ? { key } : { file });
  else if (file === undefined) await stdout.write(key);
  else await stderr.write(`the key is in ${file}; give every peer of the swarm a copy\n`);
}

/** Never over a file that is there: a lost key splits a swarm. */
async function writeKey(file: string, key: string): Promise<void> {
  let isNew;
  try {
    isNew = await writeSecret(file, key);
  } catch (cause) {
    const problem = `${file} cannot be written (${systemReason(cause, writingFile)})`;
    if (!isNoSpace(errorCode(cause))) throw usageError(problem);
    const advice = "free some space, or name another file";
    throw new CrawlError("DISK_FULL", `${problem}; ${advice}`, { file }, { cause });
  }
  if (!isNew) throw usageError(`${file} is there already; name another file`);
}
