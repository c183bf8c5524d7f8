import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { AbortRegistry } from "../../../src/adapters/undici/abort-registry.ts";

/** One that counts how often it was told to give up. */
function newMember() {
  const member = { aborted: 0, abort: () => void (member.aborted += 1) };
  return member;
}

it("tells all exchanges that share a signal when it aborts, and no others", () => {
  const [registry, signals] = [new AbortRegistry(), [new AbortController(), new AbortController()]];
  const [stopping, going] = signals as [AbortController, AbortController];
  const [one, two, gone, other] = [newMember(), newMember(), newMember(), newMember()];
  for (const member of [one, gone, two]) registry.add(stopping.signal, member);
  registry.add(going.signal, other);
  expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1);
  registry.remove(stopping.signal, gone);
  stopping.abort();
  expect([one, two, gone, other].map(({ aborted }) => aborted)).toEqual([1, 1, 0, 0]);
});

it("listens to a signal as long as it has exchanges", () => {
  const [registry, { signal }] = [new AbortRegistry(), new AbortController()];
  const [one, two] = [newMember(), newMember()];
  const listeners = (): number => getEventListeners(signal, "abort").length;
  for (const member of [one, two]) registry.add(signal, member);
  registry.remove(signal, newMember());
  registry.remove(signal, one);
  expect(listeners()).toBe(1);
  registry.remove(signal, two);
  expect(listeners()).toBe(0);
  registry.remove(signal, two);
  registry.add(signal, one);
  expect(listeners()).toBe(1);
});
