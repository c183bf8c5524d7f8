import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { errorCode } from "../../src/core/errors.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ApiClient } from "../api-client.ts";
import { exitCodes } from "../error-line.ts";
import { stopMsMax } from "../stop-request.ts";
import { shortId } from "../text/member-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printDocument,
  type CommandContext,
} from "./command-context.ts";

/** A member of a swarm hands over within a minute, and a peer stops within 10 s; beyond this it hangs. */
const leaveMsMax: Millis = 75_000;
const lookEveryMs: Millis = 50;

/** `peer leave`: stop the running peer gracefully, and wait until it is gone. */
export function leaveCommand(context: CommandContext): Command {
  const text = {
    name: "leave",
    summary: "stop the running peer; everything is kept, and in a swarm handed over before",
    examples: [["peer leave --data crawls", "stop the peer that runs in ./crawls"]],
  } as const;
  return newCommand(text, clientSettingNames).action((_options: unknown, command: Command) =>
    leave(context, command),
  );
}

async function leave(context: CommandContext, command: Command): Promise<void> {
  const { clock, stderr } = context.terminal;
  const client = await clientOf(context, command);
  const { peer, pid } = await client.health();
  const endAtMs = clock.nowMs() + leaveMsMax;
  const handedOver = await client.leave(leaveMsMax);
  if (handedOver === false) context.finish(exitCodes.failed);
  if (await hasStopped(client, { peer, pid }, clock, endAtMs)) {
    const document = { peer, left: true, ...(handedOver !== undefined && { handedOver }) };
    await printDocument(context, command, document, leftText);
    return;
  }
  await stderr.write(
    `peer: ${shortId(peer)} (process ${pid}) has not stopped within ${leaveMsMax / 1_000} s\n`,
  );
  context.finish(exitCodes.failed);
}

/** What is told of a peer that has stopped. */
interface LeftDocument {
  readonly peer: string;
  readonly handedOver?: boolean;
}

function leftText({ peer, handedOver }: LeftDocument): string {
  const rest =
    handedOver === false
      ? "not everything could be handed over: it is kept there, and goes on when that peer joins again"
      : "everything is kept";
  return `peer ${shortId(peer)} has stopped; ${rest}\n`;
}

/** Waits until the peer is gone; false where it is not by `endAtMs`. */
async function hasStopped(
  client: ApiClient,
  { peer, pid }: { readonly peer: string; readonly pid: number },
  clock: Clock,
  endAtMs: Millis,
): Promise<boolean> {
  let silentAtMs: Millis | undefined;
  for (;;) {
    // Its process can be seen only on this machine, outside of a container; of
    // another machine's, the number may be that of anybody here.
    if (!(await client.isThere(peer))) {
      silentAtMs ??= clock.nowMs();
      if (!(await isRunning(pid)) || clock.nowMs() >= silentAtMs + stopMsMax) return true;
    }
    if (clock.nowMs() >= endAtMs) return false;
    await clock.sleep(lookEveryMs);
  }
}

/** Whether a process of this id runs; signal 0 only asks. */
async function isRunning(pid: number): Promise<boolean> {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
  return !(await hasEnded(pid));
}

/** Whether all that is left of a process is its exit code, which its parent has not asked for. */
async function hasEnded(pid: number): Promise<boolean> {
  // Where there is no such file, on other systems than Linux, nothing is known.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The state follows the program's name, which may contain anything: "42 (a) b) Z 1 ...".
  return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(")") + 1));
}
