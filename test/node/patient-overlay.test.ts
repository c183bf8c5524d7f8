import { beforeEach, describe, expect, it } from "vitest";
import {
  localNetwork,
  PatientOverlay,
  type FindingOverlay,
  type PatientOverlayOptions,
} from "../../node/patient-overlay.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { keptOutDetail } from "../../src/adapters/libp2p/dialer.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { MemberId } from "../../src/core/units.ts";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import type { JoinOutcome } from "../../src/ports/overlay.ts";

const nothing = (): undefined => undefined;
const member = "m-1" as MemberId;

/** An overlay that reaches what the test says, and can do nothing else. */
class ScriptedOverlay implements FindingOverlay {
  readonly self = "self" as MemberId;
  readonly addresses = [];
  readonly outcomes = new Map<string, JoinOutcome>();
  /** Addresses that swallow what they are sent. */
  readonly silent = new Set<string>();
  readonly attempts: { address: string; atMs: number }[] = [];
  readonly #clock: VirtualClock;
  #tellFound: (address: string) => void = nothing;
  startFailure: Error | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  start(): Promise<void> {
    return this.startFailure ? Promise.reject(this.startFailure) : Promise.resolve();
  }

  async join(address: string, signal: AbortSignal): Promise<JoinOutcome> {
    this.attempts.push({ address, atMs: this.#clock.nowMs() });
    await this.#clock.sleep(this.silent.has(address) ? 5_000 : 1, signal);
    return this.outcomes.get(address) ?? { kind: "unreachable", detail: "connection refused" };
  }

  onFound(listener: (address: string) => void): void {
    this.#tellFound = listener;
  }

  found(address: string): void {
    this.#tellFound(address);
  }

  readonly stop = (): Promise<void> => Promise.resolve();
  readonly request = (): Promise<{ kind: "timeout" }> => Promise.resolve({ kind: "timeout" });
  readonly learn = nothing;
  readonly serve = nothing;
  readonly notify = nothing;
  readonly publish = nothing;
  readonly onNotice = nothing;
  readonly onClaim = nothing;
  readonly onBroken = nothing;
}

let clock: VirtualClock;
let inner: ScriptedOverlay;
let lines: string[];

beforeEach(() => {
  clock = new VirtualClock();
  inner = new ScriptedOverlay(clock);
  lines = [];
});

function patient(options: Partial<PatientOverlayOptions> = {}): PatientOverlay {
  const say = (event: string, fields: LogFields = {}): void =>
    void lines.push([event, ...Object.values(fields).map(String)].join(" "));
  const logger: Logger = { debug: nothing, info: say, warn: say, error: say };
  const named = new Set(["a", "b", localNetwork]);
  return new PatientOverlay(
    inner,
    { clock, logger },
    {
      named,
      readable: (address) => address.toUpperCase(),
      ...options,
    },
  );
}

describe("PatientOverlay", () => {
  it("tries an address ever more rarely until it answers, and says once what is wrong", async () => {
    const overlay = patient();
    const joining = overlay.join("a", new AbortController().signal);
    await clock.run(clock.sleep(60_000));
    inner.outcomes.set("a", { kind: "joined", member });
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    const rests = inner.attempts.map(({ atMs }, i) => atMs - (inner.attempts[i - 1]?.atMs ?? atMs));
    expect(rests).toEqual([0, 501, 1_001, 2_001, 4_001, 8_001, 15_001, 15_001, 15_001]);
    expect(lines).toEqual([
      "cannot-reach A connection refused it is tried again",
      "swarm-joined A m-1",
    ]);
  });

  it("tells a refusal from silence, and tells it anew when the reason changes", async () => {
    const overlay = patient();
    const end = new AbortController();
    inner.outcomes.set("a", { kind: "timeout" });
    const joining = overlay.join("a", end.signal);
    await clock.run(clock.sleep(3_000));
    inner.outcomes.set("a", { kind: "refused", detail: 'another swarm: "x"' });
    await clock.run(clock.sleep(30_000));
    end.abort();
    expect(await clock.run(joining)).toMatchObject({ kind: "unreachable" });
    expect(lines).toEqual([
      "cannot-reach A no answer in time it is tried again",
      'join-refused A another swarm: "x" it is tried again',
    ]);
  });

  it("does not tell anew of one that it was refused by and keeps out from then on", async () => {
    const overlay = patient();
    const end = new AbortController();
    const joining = Promise.all(["a", "b"].map((each) => overlay.join(each, end.signal)));
    const outcomesOfA = ["another version", keptOutDetail, "another version"];
    inner.outcomes.set("b", { kind: "refused", detail: keptOutDetail });
    for (const detail of outcomesOfA) {
      inner.outcomes.set("a", { kind: "refused", detail });
      await clock.run(clock.sleep(30_000));
    }
    end.abort();
    await clock.run(joining);
    expect(lines).toEqual([
      "join-refused A another version it is tried again",
      `join-refused B ${keptOutDetail} it is tried again`,
    ]);
  });

  it("is content with one of several addresses, and starts anew when asked again", async () => {
    const overlay = patient();
    const { signal } = new AbortController();
    const both = Promise.all([overlay.join("a", signal), overlay.join("b", signal)]);
    await clock.run(clock.sleep(5_000));
    inner.outcomes.set("b", { kind: "joined", member });
    const joined = { kind: "joined", member };
    expect(await clock.run(both)).toEqual([joined, joined]);

    inner.outcomes.set("a", { kind: "joined", member: "m-2" as MemberId });
    const again = await clock.run(overlay.join("a", signal));
    expect(again).toEqual({ kind: "joined", member: "m-2" });

    inner.outcomes.clear();
    const end = new AbortController();
    const inVain = overlay.join("a", end.signal);
    await clock.run(clock.sleep(5_000));
    end.abort();
    expect(await clock.run(inVain)).toMatchObject({ kind: "unreachable" });
  });

  it("tells once who has answered, however often it is asked to look again", async () => {
    const overlay = patient();
    const { signal } = new AbortController();
    const find = (): Promise<JoinOutcome> => clock.run(overlay.join("a", signal));
    inner.outcomes.set("a", { kind: "joined", member });
    await find();
    await find();
    inner.outcomes.set("a", { kind: "joined", member: "m-2" as MemberId });
    await find();
    expect(lines).toEqual(["swarm-joined A m-1", "swarm-joined A m-2"]);
  });

  it("tries an address once where it is told to, and tells what came of it", async () => {
    const overlay = patient();
    const { signal } = new AbortController();
    const searching = overlay.join("a", signal);
    expect(await clock.run(overlay.join("b", signal, "once"))).toMatchObject({
      kind: "unreachable",
    });
    const ownKey = { kind: "refused", detail: "own key", hasOwnKey: true } as const;
    inner.outcomes.set("c", ownKey);
    expect(await clock.run(overlay.join("c", signal, "once"))).toEqual(ownKey);
    await clock.run(clock.sleep(20_000));
    expect(inner.attempts.filter(({ address }) => address !== "a")).toHaveLength(2);
    inner.outcomes.set("a", { kind: "joined", member });
    expect(await clock.run(searching)).toEqual({ kind: "joined", member });
  });

  it("says nothing of addresses that nobody named", async () => {
    const overlay = patient();
    const end = new AbortController();
    const joining = overlay.join("remembered", end.signal);
    await clock.run(clock.sleep(10_000));
    end.abort();
    await clock.run(joining);
    expect(lines).toEqual([]);
  });

  it("tells once when nobody answers at any of the addresses, and goes on trying", async () => {
    let begun = 0;
    const overlay = patient({ onNobody: () => (begun += 1) });
    const { signal } = new AbortController();
    const both = Promise.all([overlay.join("a", signal), overlay.join("b", signal)]);
    await clock.run(clock.sleep(1_000));
    expect(begun).toBe(0);
    await clock.run(clock.sleep(60_000));
    expect(begun).toBe(1);
    inner.outcomes.set("b", { kind: "joined", member });
    await clock.run(both);
  });

  it("joins by whoever is found on the local network, as soon as it is found", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(20_000));
    expect(inner.attempts).toEqual([]);
    inner.outcomes.set("/ip4/192.0.2.1/tcp/1", { kind: "joined", member });
    const foundAtMs = clock.nowMs();
    inner.found("/ip4/192.0.2.2/tcp/1");
    inner.found("/ip4/192.0.2.1/tcp/1");
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    expect(clock.nowMs() - foundAtMs).toBeLessThan(100);
  });

  it("is not kept by what swallows its packets on the local network from whoever answers there", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(1));
    for (let port = 1; port < 64; port += 1) {
      inner.silent.add(`/ip4/192.0.2.9/tcp/${port}/p2p/m-${port}`);
      inner.found(`/ip4/192.0.2.9/tcp/${port}/p2p/m-${port}`);
    }
    inner.outcomes.set("/ip4/192.0.2.2/tcp/1/p2p/m", { kind: "joined", member });
    const foundAtMs = clock.nowMs();
    inner.found("/ip4/192.0.2.2/tcp/1/p2p/m");
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    expect(clock.nowMs() - foundAtMs).toBeLessThan(100);
  });

  it("takes in whoever is found on the local network while others are told of again and again", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(1));
    const madeUp = Array.from(
      { length: 64 },
      (_, at) => `/ip4/192.0.2.9/tcp/${at + 1}/p2p/m-${at}`,
    );
    for (const address of madeUp) inner.silent.add(address);
    inner.outcomes.set("/ip4/192.0.2.2/tcp/1/p2p/m", { kind: "joined", member });
    for (let second = 0; second < 20; second += 1) {
      for (const address of madeUp) inner.found(address);
      await clock.run(clock.sleep(1_000));
    }
    for (const address of madeUp) inner.found(address);
    inner.found("/ip4/192.0.2.2/tcp/1/p2p/m");
    const foundAtMs = clock.nowMs();
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    expect(clock.nowMs() - foundAtMs).toBeLessThan(6_000);
  });

  it("is not kept by one that is said to have many addresses on the local network", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(1));
    for (let port = 1; port < 200; port += 1) {
      inner.silent.add(`/ip4/192.0.2.9/tcp/${port}/p2p/made-up`);
      inner.found(`/ip4/192.0.2.9/tcp/${port}/p2p/made-up`);
    }
    await clock.run(clock.sleep(1_000));
    inner.outcomes.set("/ip4/192.0.2.2/tcp/1/p2p/m", { kind: "joined", member });
    const foundAtMs = clock.nowMs();
    inner.found("/ip4/192.0.2.2/tcp/1/p2p/m");
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    expect(clock.nowMs() - foundAtMs).toBeLessThan(6_000);
  });

  it("tries all addresses of a member on the local network while another one's are silent", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(1));
    const foundAtMs = clock.nowMs();
    for (let port = 1; port <= 8; port += 1) {
      inner.silent.add(`/ip4/192.0.2.9/tcp/${port}/p2p/made-up`);
      inner.found(`/ip4/192.0.2.9/tcp/${port}/p2p/made-up`);
      inner.found(`/ip4/192.0.2.2/tcp/${port}/p2p/m`);
    }
    inner.outcomes.set("/ip4/192.0.2.2/tcp/8/p2p/m", { kind: "joined", member });
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    expect(clock.nowMs() - foundAtMs).toBeLessThan(100);
  });

  it("tries the addresses that one member has on the local network one after the other", async () => {
    const overlay = patient();
    const joining = overlay.join(localNetwork, new AbortController().signal);
    await clock.run(clock.sleep(1));
    const addresses = ["2", "1"].map((host) => `/ip4/192.0.2.${host}/tcp/1/p2p/m`);
    for (const address of addresses) inner.found(address);
    inner.outcomes.set("/ip4/192.0.2.1/tcp/1/p2p/m", { kind: "joined", member });
    expect(await clock.run(joining)).toEqual({ kind: "joined", member });
    const [first, second] = inner.attempts;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBe(1);
  });

  it("names the right flag when it cannot listen", async () => {
    inner.startFailure = new CrawlError("LISTEN_FAILED", "cannot listen to 127.0.0.1:1");
    await expect(patient().start()).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: expect.stringContaining(
        "; name another address for the swarm with --listen",
      ) as string,
    });
  });
});
