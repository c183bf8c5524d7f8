import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import type { JobId, Millis } from "../../../src/core/units.ts";
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

/** A peer whose swarm has no time for what comes behind the first batches, for so many tries. */
class BusyPeerControl extends FakePeerControl {
  tries = 0;
  readonly #batchesMax: number;
  readonly #busyTries: number;

  constructor(batchesMax: number, busyTries: number) {
    super();
    this.#batchesMax = batchesMax;
    this.#busyTries = busyTries;
  }

  override inject(...given: Parameters<FakePeerControl["inject"]>) {
    const isBusy = this.injected.length === this.#batchesMax && this.tries < this.#busyTries;
    if (!isBusy) return super.inject(...given);
    this.tries += 1;
    return Promise.reject(new CrawlError("SWARM_BUSY", "7 of 1000 URLs were not acknowledged"));
  }
}

/** A clock by which no rest between two tries takes time, while answers have theirs. */
class RestlessClock extends SystemClock {
  override sleep(ms: Millis, signal?: AbortSignal) {
    return ms > 1_000 ? super.sleep(ms, signal) : Promise.resolve();
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

describe("peer inject into a swarm that is busy", () => {
  /** What it says, with the whole file or other words. */
  async function injectInto(control: FakePeerControl, words: readonly string[] = ["--file", file]) {
    const api = fakePeerApi(control);
    await api.start();
    try {
      const terminal = new FakeTerminal({ clock: new RestlessClock() });
      return await runAgainst(api, ["inject", ...words], terminal);
    } finally {
      await api.stop();
    }
  }

  it.each([1, 2])("gives URLs again where %d batches are in", async (batches) => {
    const control = new BusyPeerControl(batches, 9);
    const { err, exitCode, out } = await injectInto(control);
    expect(exitCode).toBe(0);
    expect(out).toContain("2,500 added, 0 known already, 1 rejected");
    expect(err.match(/the swarm is busy/g)).toHaveLength(1);
    expect(control.tries).toBe(9);
    expect(control.injected).toHaveLength(3);
  });

  it("gives up where it stays so, and says how much is in", async () => {
    const control = new BusyPeerControl(2, Infinity);
    const { err, exitCode } = await injectInto(control);
    expect(exitCode).toBe(1);
    expect(err).toContain("1,999 URLs of");
    expect(err).toContain("7 of 1000 URLs were not acknowledged");
    expect(control.tries).toBe(10);
  });

  it("says so at once where nothing is in", async () => {
    const control = new BusyPeerControl(0, Infinity);
    const { err, exitCode } = await injectInto(control, ["http://a.example/"]);
    expect(exitCode).toBe(1);
    expect(err).toContain("7 of 1000 URLs were not acknowledged");
    expect(control.tries).toBe(1);
  });
});

describe("peer inject on a narrow terminal", () => {
  it("shows how far it is in one line, which can be taken back", async () => {
    const terminal = new FakeTerminal({ isTTY: true });
    terminal.stderr.columns = 30;
    terminal.input = "http://a.example/\n";
    const { err } = await injectUntil(2, ["-"], terminal);
    expect(err).toBe(
      "\r\u001b[Kreading URLs from standard i…\r\u001b[K1 added, 0 known already, 0 …\r\u001b[K",
    );
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
