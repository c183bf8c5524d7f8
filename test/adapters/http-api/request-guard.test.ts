import { describe, expect, it } from "vitest";
import { isLoopback, refusal } from "../../../src/adapters/http-api/request-guard.ts";

describe("refusal", () => {
  it.each([
    "127.0.0.1:7780",
    "127.0.0.1",
    "127.8.9.10:80",
    "localhost:7780",
    "LocalHost",
    "[::1]:7780",
  ])("serves a request to %s", (host) => {
    expect(refusal({ host }, "127.0.0.1")).toBeUndefined();
  });

  it.each([
    undefined,
    "",
    "evil.example",
    "evil.example:7780",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.evil.example",
    "evil.example:7780@127.0.0.1",
    "10.0.0.1:7780",
    "[::2]",
    "localhost:777800",
    "localhost:7780:7780",
    "localhost, evil.example",
  ])("refuses a request to %s: a name may have been rebound", (host) => {
    expect(refusal({ host }, "127.0.0.1")).toContain("Host header");
  });

  it("serves the name that it was told to listen on, and any address where it listens on all", () => {
    expect(refusal({ host: "box.lan:7780" }, "box.lan")).toBeUndefined();
    expect(refusal({ host: "Box.lan:7780" }, "bOX.lan")).toBeUndefined();
    expect(refusal({ host: "10.0.0.1:7780" }, "0.0.0.0")).toBeUndefined();
    expect(refusal({ host: "[fd00::1]:7780" }, "::")).toBeUndefined();
    expect(refusal({ host: "evil.example:7780" }, "0.0.0.0")).toContain("Host header");
  });

  it.each([
    ["0.0.0.0", "localhost or an IP address"],
    ["::", "localhost or an IP address"],
    ["10.0.0.1", "localhost or 10.0.0.1"],
    ["localhost", "localhost"],
  ])("says by what else to ask one that listens to %s", (listenHost, trusted) => {
    expect(refusal({ host: "box.lan:7780" }, listenHost)).toBe(
      `the Host header has no name that is trusted; ask by ${trusted}, or have the peer listen to that name`,
    );
  });

  it.each([
    ["http://127.0.0.1:7780", undefined],
    ["HTTP://127.0.0.1:7780", undefined],
    ["null", "Origin"],
    ["http://evil.example", "Origin"],
    ["https://127.0.0.1:7780", "Origin"],
    ["http://127.0.0.1:8080", "Origin"],
    ["http://localhost:7780", "Origin"],
    ["http://127.0.0.1:77800", "Origin"],
    ["http://127.0.0.1:7780.evil.example", "Origin"],
    ["", "Origin"],
  ])("judges the origin %j", (origin, refused) => {
    const answer = refusal({ host: "127.0.0.1:7780", origin }, "127.0.0.1");
    if (refused === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(refused);
  });

  it("takes a name for its own origin however it is written", () => {
    const headers = { host: "LocalHost:7780", origin: "http://localhost:7780" };
    expect(refusal(headers, "127.0.0.1")).toBeUndefined();
  });

  it.each([
    ["same-origin", false],
    ["none", false],
    ["same-site", true],
    ["cross-site", true],
  ])("judges a browser's word that the request is %s", (site, refused) => {
    const headers = { host: "localhost:7780", "sec-fetch-site": site };
    expect(refusal(headers, "127.0.0.1") !== undefined).toBe(refused);
  });
});

describe("isLoopback", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.255.0.1", true],
    ["[::1]", true],
    ["localhost", true],
    ["LocalHost", true],
    ["0.0.0.0", false],
    ["::", false],
    ["127.example", false],
    ["192.168.0.1", false],
  ])("of %s is %s", (host, loopback) => {
    expect(isLoopback(host)).toBe(loopback);
  });
});
