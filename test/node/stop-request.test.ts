import { beforeEach, describe, expect, it } from "vitest";
import { StopRequest } from "../../node/stop-request.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

let clock: VirtualClock;
let terminal: FakeTerminal;
let stop: StopRequest;

beforeEach(() => {
  clock = new VirtualClock();
  terminal = new FakeTerminal({ clock });
  stop = new StopRequest(terminal);
});

describe("StopRequest", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "asks for a graceful stop at the first %s, with exit code %d",
    async (signal, code) => {
      terminal.signal(signal);
      await stop.asked();
      expect([stop.signal.aborted, stop.exitCode, terminal.exits]).toEqual([true, code, []]);
      // Of a process that its output, or a bug, ends before its command comes to tell.
      expect(terminal.endCode).toBe(code);
    },
  );

  it("takes a signal that comes twice at once for one, and a later one for an order", async () => {
    terminal.signal("SIGINT");
    await clock.run(clock.sleep(499));
    terminal.signal("SIGINT");
    expect(terminal.exits).toEqual([]);
    await clock.run(clock.sleep(1));
    terminal.signal("SIGINT");
    expect(terminal.exits).toEqual([130]);
  });

  it("lets a stop that was asked for otherwise end with 0, and a signal then insist", async () => {
    stop.ask();
    await stop.asked();
    expect(stop.exitCode).toBe(0);
    await clock.run(clock.sleep(1_000));
    terminal.signal("SIGTERM");
    expect(terminal.exits).toEqual([143]);
  });

  it("ends the process when stopping takes longer than ten seconds, and not before", async () => {
    terminal.signal("SIGINT");
    await clock.run(stop.within(() => clock.sleep(9_999)));
    expect(terminal.exits).toEqual([]);
    await clock.run(stop.within(() => clock.sleep(10_001)));
    expect(terminal.exits).toEqual([130]);
  });

  it("ends the process where the command does not come to stop for ten seconds, and not where it has", async () => {
    terminal.signal("SIGTERM");
    await clock.run(clock.sleep(9_999));
    expect(terminal.exits).toEqual([]);
    await clock.run(clock.sleep(1));
    expect(terminal.exits).toEqual([143]);
    const ends: ((of: StopRequest) => void)[] = [
      (of) => void of.within(() => Promise.resolve()),
      (of) => of.dispose(),
    ];
    for (const end of ends) {
      terminal = new FakeTerminal({ clock });
      const other = new StopRequest(terminal);
      terminal.signal("SIGTERM");
      await clock.run(clock.sleep(9_999));
      end(other);
      await clock.run(clock.sleep(60_000));
      expect(terminal.exits).toEqual([]);
    }
  });

  it("counts the time that a command took to come to stop", async () => {
    terminal.signal("SIGTERM");
    await clock.run(clock.sleep(6_000));
    await clock.run(stop.within(() => clock.sleep(3_999)));
    expect(terminal.exits).toEqual([]);
    await clock.run(stop.within(() => clock.sleep(2)));
    expect(terminal.exits).toEqual([143]);
  });

  it("passes the failure of a stop on", async () => {
    const failing = stop.within(() => Promise.reject(new Error("disk")));
    await expect(clock.run(failing)).rejects.toThrow("disk");
  });

  it("listens until it is disposed of", () => {
    expect(terminal.listening).toBe(1);
    stop.dispose();
    expect(terminal.listening).toBe(0);
  });
});
