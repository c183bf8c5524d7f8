import { describe, expect, it } from "vitest";
import type { HostName, IpAddress, Millis } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import {
  HostAddresses,
  isStandIn,
  mayGoOn,
  passOver,
} from "../../../src/peer/fetching/host-addresses.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import type { ResolveOutcome } from "../../../src/ports/resolver.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

/** Each page of a host that lives leads to its next one, and to one of a host that is out of reach. */
const web: Pages = (url) => {
  const page = Number(/^http:\/\/live\.example\/(\d+)$/.exec(url)?.[1] ?? NaN);
  if (Number.isNaN(page)) return undefined;
  return htmlPage(`http://live.example/${page + 1}`, `http://lost.example/${page}`);
};

describe("a name that cannot be resolved", () => {
  it("is looked up when its host may be asked again, not as often as links to it are found", async () => {
    const machine = new VirtualPeer(web);
    machine.web.lostNames.add("lost.example");
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://live.example/0"], { delayMs: 1_000, scope: "any" });
        await machine.clock.sleep(60_000);
        expect(machine.web.counts().size).toBeGreaterThan(50);
        // Its robots.txt is waited for 2, 4, 8, 16 and 32 seconds.
        expect(machine.web.notFound.length).toBeLessThanOrEqual(6);
        machine.web.lostNames.clear();
        await machine.clock.sleep(120_000);
      })(),
    );
    expect([...machine.web.counts().keys()]).toContain("http://lost.example/0");
  });
});

describe("names whose look-ups fail slowly", () => {
  const openRequestsMax = 8;

  /** Pages that hosts that live give in a minute, beside so many hosts that do not. */
  async function pagesBeside(lost: number): Promise<number> {
    const dispatcher = { ...defaultPeerOptions.dispatcher, openRequestsMax };
    const machine = new VirtualPeer(() => htmlPage(), { dispatcher });
    const resolve = machine.web.resolve.bind(machine.web);
    machine.web.resolve = async (host) => {
      if (machine.web.lostNames.has(host)) await machine.clock.sleep(10_000);
      return resolve(host);
    };
    const names = Array.from({ length: lost }, (_, number) => `lost-${number}.example`);
    for (const name of names) machine.web.lostNames.add(name);
    const live = Array.from({ length: 200 }, (_, n) => `http://live-${n % 4}.example/${n}`);
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([...names.map((name) => `http://${name}/`), ...live]);
        await machine.clock.sleep(45_000);
      })(),
    );
    expect(machine.web.notFound.length).toBeGreaterThanOrEqual(lost);
    return machine.web.counts().size;
  }

  it("keep no other request from being made, however many they are", async () => {
    const alone = await pagesBeside(0);
    expect(alone).toBeGreaterThan(100);
    expect(await pagesBeside(openRequestsMax * 4)).toBe(alone);
  });
});

describe("the address of a host", () => {
  const [a, b, other] = ["192.0.2.1", "192.0.2.2", "192.0.2.9"] as IpAddress[] as [
    IpAddress,
    IpAddress,
    IpAddress,
  ];
  const nowMs = 1_000_000;
  const lost = { kind: "failure", failure: "dns-not-found", detail: "none" } as const;
  const untold = { failure: lost.failure, detail: lost.detail, isTold: false };
  const name = "a.example" as HostName;

  function hostWith(more: Partial<Host>, address = a, nextFetchAtMs: Millis = 0) {
    const rests: Millis[] = [];
    const gate = { nextFetchAtMs, restUntil: (atMs: Millis) => void rests.push(atMs) };
    const visit = { host: name, address, delayMs: 1_000, gate };
    return { host: { visit, ...more } as unknown as Host, rests };
  }

  function addressesBy(outcome: ResolveOutcome): HostAddresses {
    const resolver = { resolve: () => Promise.resolve(outcome) };
    return new HostAddresses({ clock: new VirtualClock(nowMs), resolver }, 60_000);
  }

  async function found(host: Host, outcome: ResolveOutcome): Promise<void> {
    await addressesBy(outcome).find(host, new AbortController().signal);
  }

  it.each([
    ["its own, which is still named", a, false, [a, b], a],
    ["its own, which is named last", b, false, [a, b], b],
    ["the next one, as its own was passed over", a, true, [a, b], b],
    ["the first one, as the last was passed over", b, true, [a, b], a],
    ["the first one, as its own is not named", other, false, [a, b], a],
    ["its own, which was passed over, but is the only one", a, true, [a], a],
  ])("is %s", async (_, before, isPassedOver, addresses, address) => {
    const { host } = hostWith({ isPassedOver, unresolved: untold }, before);
    await found(host, { kind: "addresses", addresses, expiresAtMs: 5 });
    expect(host).toMatchObject({
      visit: { address },
      ...{ isPassedOver: false, unresolved: undefined },
      ...{ hasOtherAddresses: addresses.length > 1, addressExpiresAtMs: 5 },
    });
  });

  it.each([
    ["that comes to its turn", 1_000, false],
    ["that rests for longer", 1_001, true],
  ])("is none while its name has none, which one visit is told of a host %s", async (...row) => {
    const [, restMs, isTold] = row;
    const { host } = hostWith({}, a, nowMs + restMs);
    await found(host, lost);
    const { address } = host.visit;
    expect(address !== undefined && isStandIn(address)).toBe(true);
    expect(host).toMatchObject({
      unresolved: { ...untold, isTold },
      addressExpiresAtMs: nowMs + 60_000,
    });
  });

  it("stays where the look-up was broken off", async () => {
    const { host } = hostWith({ addressExpiresAtMs: 7 });
    await found(host, { ...lost, failure: "aborted" });
    expect(host).toMatchObject({ visit: { address: a }, addressExpiresAtMs: 7 });
    expect(host.unresolved).toBeUndefined();
  });

  it.each([
    [nowMs + 1, undefined, false, false],
    [nowMs, undefined, true, false],
    [nowMs - 599_999, undefined, true, false],
    [nowMs - 600_000, undefined, true, true],
    [nowMs - 600_000, untold, false, false],
  ])("that held until %i is wanted, and outdated, by then", (...row) => {
    const [addressExpiresAtMs, unresolved, isWanted, isOutdated] = row;
    const { host } = hostWith({ addressExpiresAtMs, unresolved });
    const addresses = addressesBy(lost);
    expect([addresses.isWanted(host), addresses.isOutdated(host)]).toEqual([isWanted, isOutdated]);
  });

  it("lets a visit go on that has one, or is the first to fail without", () => {
    const lease = ({ visit }: Host) => ({ address: visit.address });
    const { host, rests } = hostWith({ addressExpiresAtMs: 9, unresolved: { ...untold } });
    expect(mayGoOn({ ...lease(host), host } as Lease, 8)).toBe(true);
    const at = { address: `unresolved:${name}` as IpAddress, host };
    const [first, second, late] = [{ ...at }, { ...at }, { ...at }] as Lease[] as [
      Lease,
      Lease,
      Lease,
    ];
    expect(mayGoOn(first, 8)).toBe(true);
    expect(first.unresolved).toBe(host.unresolved);
    expect(mayGoOn(second, 8)).toBe(false);
    expect(second.unresolved).toBeUndefined();
    expect(rests).toEqual([9]);
    expect(mayGoOn(late, 9)).toBe(false);
    expect(host.unresolved).toBeUndefined();
    expect(rests).toEqual([9]);
  });

  it.each([
    ["the host's own of several", a, true, true],
    ["the host's only one", a, false, false],
    ["one that the host has no more", b, true, false],
  ])("is passed over where no connection was made to it: %s", (...row) => {
    const [, address, hasOtherAddresses, isPassedOver] = row;
    const { host } = hostWith({ addressExpiresAtMs: 9, hasOtherAddresses, isPassedOver: false });
    passOver(host, address);
    expect(host).toMatchObject({ isPassedOver, addressExpiresAtMs: isPassedOver ? 0 : 9 });
  });
});
