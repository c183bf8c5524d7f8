import { runCli } from "../../node/cli.ts";
import { HttpApi, type HttpApiParts } from "../../src/adapters/http-api/http-api.ts";
import { defaultHttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import type { HttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import { ConsoleLogger } from "../../src/adapters/system/console-logger.ts";
import { SystemClock } from "../../src/adapters/system/system-clock.ts";
import type { FakePeerControl } from "./fake-peer-control.ts";
import { FakeTerminal } from "./fake-terminal.ts";

/** The HTTP API over a fake peer, not yet started, on a port that the system picks. */
export function fakePeerApi(
  control: FakePeerControl,
  parts: Partial<HttpApiParts> = {},
  options: Partial<HttpApiOptions> = {},
): HttpApi {
  const clock = new SystemClock();
  return new HttpApi(
    {
      control,
      clock,
      logger: new ConsoleLogger({ level: "silent", format: "text" }, clock),
      version: "1.2.3",
      leave: () => Promise.resolve(undefined),
      stopForBug: (bug) => {
        throw bug;
      },
      ...parts,
    },
    { ...defaultHttpApiOptions, port: 0, ...options },
  );
}

/** Runs a command line to its end against the peer behind `api`, unless `terminal` knows another. */
export async function runAgainst(
  api: HttpApi,
  words: readonly string[],
  terminal = new FakeTerminal(),
) {
  terminal.environment["ORBWEAVER_API"] ??= new URL(api.url).host;
  const exitCode = await runCli(words, terminal);
  return { exitCode, out: terminal.stdout.text, err: terminal.stderr.text, terminal };
}
