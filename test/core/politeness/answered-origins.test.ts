import { describe, expect, it } from "vitest";
import { AnsweredOrigins } from "../../../src/core/politeness/answered-origins.ts";
import type { IpAddress, OriginName } from "../../../src/core/units.ts";

function originOf(name: string): OriginName {
  return `http://${name}.example` as OriginName;
}

/** Those that have answered, in this order, each at an address of its own. */
function answered(...names: readonly string[]): AnsweredOrigins {
  const origins = new AnsweredOrigins();
  for (const name of names) origins.remember(originOf(name), name as IpAddress);
  return origins;
}

describe("AnsweredOrigins", () => {
  it("suffice for a look where there are three", () => {
    expect(answered("a", "b").suffices).toBe(false);
    expect(answered("a", "b", "c").suffices).toBe(true);
  });

  it("take those at one address for one, the last of them", () => {
    const origins = new AnsweredOrigins();
    for (const name of ["a", "b", "c"]) origins.remember(originOf(name), "192.0.2.1" as IpAddress);
    expect(origins.take()).toEqual([originOf("c")]);
  });

  it("learn of those whose address is not known", () => {
    const origins = answered("a");
    origins.learn(["b", "c"].map(originOf));
    expect(origins.take()).toEqual(["a", "b", "c"].map(originOf));
  });

  it("take those of one site for one, however they are known", () => {
    const origins = answered("a");
    origins.learn(["a", "www.a", "b"].map(originOf));
    origins.learn(["b"].map(originOf));
    origins.remember(originOf("b"), "192.0.2.1" as IpAddress);
    expect(origins.take()).toEqual(["a", "b"].map(originOf));
  });

  it("give five at a time, and all of them in turn", () => {
    const origins = answered("a", "b", "c", "d", "e", "f", "g", "h");
    expect(origins.take()).toEqual(["d", "e", "f", "g", "h"].map(originOf));
    expect(origins.take()).toEqual(["g", "h", "a", "b", "c"].map(originOf));
  });

  it("give those first that have answered last", () => {
    const origins = answered("a", "b", "c", "d", "e", "f", "a");
    expect(origins.take()).toEqual(["c", "d", "e", "f", "a"].map(originOf));
  });

  it("are the 500 that answered last", () => {
    const names = Array.from({ length: 501 }, (_, at) => `h${at}`);
    const origins = answered(...names);
    const taken = names.flatMap(() => origins.take());
    expect(new Set(taken)).toEqual(new Set(names.slice(1).map(originOf)));
  });
});
