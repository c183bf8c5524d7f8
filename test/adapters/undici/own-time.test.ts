import { describe, expect, it } from "vitest";
import { OwnTime } from "../../../src/adapters/undici/own-time.ts";

describe("OwnTime", () => {
  it("stands still while it is stopped, and counts how long", () => {
    const time = new OwnTime();
    expect([time.at(100), time.stands]).toEqual([100, false]);
    time.stop(110);
    time.stop(115);
    expect([time.at(130), time.stoodMs(130), time.stands]).toEqual([110, 20, true]);
    time.goOn(140);
    expect([time.at(150), time.stoodMs(150), time.stands]).toEqual([120, 30, false]);
    time.stop(160);
    time.goOn(161);
    expect([time.at(170), time.stoodMs(170)]).toEqual([139, 31]);
  });
});
