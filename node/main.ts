#!/usr/bin/env node
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { boundPatternTime } from "./bounded-patterns.ts";
import { holdLifeline } from "./lifeline.ts";
import { restartWithMemorySettings, keepThreadsSmall } from "./memory-settings.ts";
import { majorOf, nodeMajorMin } from "./node-version.ts";

// The entry of `peer`. An old Node.js must be able to load this file, so everything else is imported only when the
// version is known to be new enough.

if (majorOf(process.version) >= nodeMajorMin) {
  restartWithMemorySettings(fileURLToPath(import.meta.url), process.argv.slice(2));
  holdLifeline(process.env);
  keepThreadsSmall();
  boundPatternTime();
  // Loading some hundred modules is half of the time to the first request. Node.js would make a folder for temporary files
  // where there is none.
  const { enableCompileCache } = await import("node:module");
  if (existsSync(tmpdir())) enableCompileCache();
  const { runCli } = await import("./cli.ts");
  const { processTerminal } = await import("./process-terminal.ts");
  process.exitCode = await runCli(process.argv.slice(2), processTerminal());
} else {
  const { handOver, newerNode } = await import("./newer-node.ts");
  const script = fileURLToPath(import.meta.url);
  const node = newerNode(dirname(script));
  if (node === undefined) refuse();
  else handOver(node, script, refuse);
}

function refuse(): void {
  process.stderr.write(
    `orbweaver needs Node.js ${nodeMajorMin} or newer; this is ${process.version}\n`,
  );
  process.exitCode = 1;
}
