import { expect, it } from "vitest";
import { idOf } from "../../../src/core/record/id-of.ts";
import { VisitedRows } from "../../../src/peer/durability/visited-rows.ts";

const key = Uint8Array.of(1, 2, 3);
const value = Uint8Array.of(4);

it("tells what another member has made of a URL while that is visited, and forgets it with the visit's end", async () => {
  const visited = new VisitedRows();
  visited.merged(idOf(key), value);
  expect(visited.latest(key)).toBeUndefined();
  const failing = visited.during(idOf(key), () => {
    expect(visited.latest(key)).toBeUndefined();
    visited.merged(idOf(key), value);
    expect(visited.latest(key)).toBe(value);
    return Promise.reject(new Error("half-way"));
  });
  await expect(failing).rejects.toThrow("half-way");
  expect(visited.latest(key)).toBeUndefined();
  visited.merged(idOf(key), value);
  expect(visited.latest(key)).toBeUndefined();
});
