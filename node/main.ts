#!/usr/bin/env node
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { boundPatternTime } from "./bounded-patterns.ts";
import { restartWithMemorySettings, keepThreadsSmall } from "./memory-settings.ts";
import { majorOf, newerNode, nodeMajorMin } from "./newer-node.ts";

// The entry of `peer`. An old Node.js must be able to load this file, so everything else is imported only when the
// version is known to be new enough.

if (majorOf(process.version) >= nodeMajorMin) {
  restartWithMemorySettings(fileURLToPath(import.meta.url), process.argv.slice(2));
  keepThreadsSmall();
  boundPatternTime();
  // Loading some hundred modules is half of the time to the first request.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  const { runCli } = await import("./cli.ts");
  const { processTerminal } = await import("./process-terminal.ts");
  const exitCode = await runCli(process.argv.slice(2), processTerminal());
  if (exitCode !== 0) process.exitCode = exitCode;
} else {
  const script = fileURLToPath(import.meta.url);
  const node = newerNode(dirname(script));
  if (node === undefined) refuse();
  else handOver(node, script);
}

function refuse(): void {
  process.stderr.write(
    `orbweaver needs Node.js ${nodeMajorMin} or newer; this is ${process.version}\n`,
  );
  process.exitCode = 1;
}

/** Runs the same command line with another Node.js, passes signals on, and ends as that one ends. */
function handOver(node: string, script: string): void {
  const child = spawn(node, [script, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on("error", refuse);
  child.on("exit", (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}
