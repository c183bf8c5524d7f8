import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CrawlError } from "../../../src/core/errors.ts";
import type { JobId } from "../../../src/core/units.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { until } from "../../support/until.ts";

/** A peer that stops when it has taken a number of batches. */
class StoppingPeerControl extends FakePeerControl {
  readonly #batchesMax: number;

  constructor(batchesMax: number) {
    super();
    this.#batchesMax = batchesMax;
  }

  override inject(job: JobId, urls: readonly string[]) {
    if (this.injected.length === this.#batchesMax) {
      this.broken = new CrawlError("PEER_STOPPED", "this peer stops");
    }
    return super.inject(job, urls);
  }
}

/** A peer whose job takes nothing of the first batch. */
class RefusingPeerControl extends FakePeerControl {
  readonly given: unknown[] = [];

  override inject(...[job, urls, options]: Parameters<FakePeerControl["inject"]>) {
    this.given.push(options);
    if (this.given.length > 1) return super.inject(job, urls, options);
    const rejectedCount = urls.length;
    return Promise.resolve({ job, added: 0, known: 0, rejected: [], rejectedCount });
  }
}

/** A peer that hangs with the third batch, until then. */
class HangingPeerControl extends FakePeerControl {
  readonly goOn = Promise.withResolvers<undefined>();

  override async inject(job: JobId, urls: readonly string[]) {
    const report = await super.inject(job, urls);
    if (this.injected.length === 3) await this.goOn.promise;
    return report;
  }
}

const urls = Array.from({ length: 2_500 }, (_, index) => `http://a.example/${index}`);
const lines = ["# all of them", "no URL", ...urls];
const stopped = "peer: this peer stops; ask another peer, or this one when it is back\n";

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inject-cut-off-"));
  file = join(folder, "urls.txt");
  await writeFile(file, `${lines.join("\n")}\n`);
});

afterAll(() => rm(folder, { recursive: true }));

/** What `peer inject` says with a peer that stops after so many batches. */
async function injectUntil(
  batchesMax: number,
  words: readonly string[],
  terminal = new FakeTerminal(),
) {
  const api = fakePeerApi(new StoppingPeerControl(batchesMax));
  await api.start();
  try {
    return await runAgainst(api, ["inject", ...words], terminal);
  } finally {
    await api.stop();
  }
}

describe("peer inject that is cut off", () => {
  it.each([[[]], [["--json"]]])("says how much of a file is in, %j", async (words) => {
    const { err, exitCode, out } = await injectUntil(2, ["--file", file, ...words]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    const taken = `1,999 URLs of ${file}, up to line 2001, were in before`;
    const again = "giving the same file again is safe: each URL counts once";
    expect(err).toBe(`peer: ${taken}; ${again}\n${stopped}`);
  });

  it("says so of standard input and of arguments", async () => {
    const terminal = new FakeTerminal();
    terminal.input = lines.join("\n");
    const { err } = await injectUntil(1, ["-"], terminal);
    const taken = "999 URLs of standard input, up to line 1001, were in before";
    expect(err).toBe(
      `peer: ${taken}; giving the same URLs again is safe: each counts once\n${stopped}`,
    );
    const given = await injectUntil(1, urls);
    expect(given.err).toContain("peer: 1,000 URLs were in before; giving the same URLs again");
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("says so where %s ends it, at once", async (signal, exitCode) => {
    const control = new HangingPeerControl();
    const api = fakePeerApi(control);
    await api.start();
    const terminal = new FakeTerminal();
    const injecting = runAgainst(api, ["inject", "--file", file], terminal);
    await until("the peer hangs", () => control.injected.length === 3);
    terminal.signal(signal);
    await until("it ends", () => terminal.exits.length > 0);
    expect(terminal.exits).toEqual([exitCode]);
    expect(terminal.stderr.text).toContain(
      `1,999 URLs of ${file}, up to line 2001, were in before`,
    );
    control.goOn.resolve(undefined);
    await injecting;
    expect(terminal.listening).toBe(0);
    await api.stop();
  });

  it("says nothing of it where nothing was in", async () => {
    expect((await injectUntil(0, ["--file", file])).err).toBe(stopped);
  });

  it("clears its progress from a terminal first", async () => {
    const terminal = new FakeTerminal({ isTTY: true });
    const { err } = await injectUntil(1, ["--file", file], terminal);
    expect(err).toContain("\r\u001b[Kpeer: 999 URLs of");
  });
});

describe("peer inject on a narrow terminal", () => {
  it("shows how far it is in one line, which can be taken back", async () => {
    const terminal = new FakeTerminal({ isTTY: true });
    terminal.stderr.columns = 30;
    terminal.input = "http://a.example/\n";
    const { err } = await injectUntil(2, ["-"], terminal);
    expect(err).toBe("\r\u001b[K1 added, 0 known already, 0 …\r\u001b[K");
  });
});

describe("peer inject of which the first batch is refused", () => {
  it("gives the job's options again with the next one", async () => {
    const control = new RefusingPeerControl();
    const api = fakePeerApi(control);
    await api.start();
    await runAgainst(api, ["inject", "--file", file, "--depth", "2"], new FakeTerminal());
    await api.stop();
    expect(control.given).toEqual([{ depthMax: 2 }, { depthMax: 2 }, undefined]);
  });
});
