import { describe, expect, it } from "vitest";
import { peerConfigOf, jobOptionsOf } from "../../../node/config/from-settings.ts";
import {
  environmentName,
  resolveSettings,
  withoutSettings,
} from "../../../node/config/resolve-settings.ts";
import { settings, type SettingName } from "../../../node/config/settings.ts";

const names: readonly SettingName[] = ["depth", "delay", "scope", "include", "allow-private"];

describe("resolveSettings", () => {
  it("lets flags win over the environment, and the environment over the file", () => {
    const { values, problems } = resolveSettings(names, {
      file: { name: "c.json", content: { depth: 1, delay: 1, scope: "page" } },
      environment: { ORBWEAVER_DEPTH: "2", ORBWEAVER_DELAY: "2" },
      flags: { depth: "3" },
    });
    expect(problems).toEqual([]);
    expect(values).toEqual({ depth: 3, delay: 2, scope: "page" });
  });

  it("reports every problem of every source, with its key and its place", () => {
    const { problems } = resolveSettings(names, {
      file: { name: "c.json", content: { depth: "deep", dept: 1, config: "x" } },
      environment: { ORBWEAVER_DELAY: "-1", ORBWEAVER_DELAI: "1", PATH: "/bin" },
      flags: { scope: "web", include: ["("], "allow-private": true },
    });
    expect(problems).toEqual([
      'c.json: unknown key "dept"; did you mean "depth"?',
      'c.json: unknown key "config"',
      'unknown environment variable ORBWEAVER_DELAI; did you mean "ORBWEAVER_DELAY"?',
      'c.json, key "depth" must be a whole number from 0 to 1,000,000, got "deep"',
      "ORBWEAVER_DELAY must be a whole number of milliseconds from 0 to 86,400,000, got -1",
      '--scope must be one of page, host, site, any, got "web"',
      expect.stringMatching(/^--include has bad patterns: .*\(/),
    ]);
  });

  it("says how a setting is switched off where there are no flags", () => {
    const { problems } = resolveSettings(names, {
      file: { name: "c.json", content: { "no-normalize-query": true, "no-depth": true } },
      environment: { ORBWEAVER_NO_NORMALIZE_QUERY: "true" },
      flags: {},
    });
    expect(problems).toEqual([
      'c.json: unknown key "no-normalize-query"; did you mean "normalize-query" with the value false?',
      'c.json: unknown key "no-depth"',
      'unknown environment variable ORBWEAVER_NO_NORMALIZE_QUERY; did you mean "ORBWEAVER_NORMALIZE_QUERY" with the value false?',
    ]);
  });

  it.each(["FOO", "JSON", "XY"])("does not take ORBWEAVER_%s for another by its prefix", (name) => {
    const variable = `ORBWEAVER_${name}`;
    const { problems } = resolveSettings(names, { environment: { [variable]: "1" }, flags: {} });
    expect(problems).toEqual([`unknown environment variable ${variable}`]);
  });

  it("reports a value that nests deeper than the stack is", () => {
    const job = JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) as unknown;
    const file = { name: "peer.json", content: { job } };
    const { problems } = resolveSettings(["job"], { file, environment: {}, flags: {} });
    expect(problems).toEqual([
      expect.stringMatching(/^peer\.json, key "job" must be .*, got \[…\]$/),
    ]);
  });

  it("lets pass what Kubernetes tells of a service with the program's name, and nothing like it", () => {
    const address = "tcp://10.96.0.7:7780";
    const { values, problems } = resolveSettings(names, {
      environment: {
        ORBWEAVER_SERVICE_HOST: "10.96.0.7",
        ORBWEAVER_SERVICE_PORT: "7780",
        ORBWEAVER_SERVICE_PORT_SWARM: "7781",
        ORBWEAVER_PORT: address,
        ORBWEAVER_PORT_7780_TCP: address,
        ORBWEAVER_PORT_7780_TCP_ADDR: "10.96.0.7",
        ORBWEAVER_API_SERVICE_HOST: "10.96.0.8",
        ORBWEAVER_API_PORT: "7780",
      },
      flags: {},
    });
    expect(problems).toEqual(["unknown environment variable ORBWEAVER_API_PORT"]);
    expect(values).toEqual({});
  });

  it("lets settings of other commands pass, right or wrong, and empty variables too", () => {
    const { values, problems } = resolveSettings(["depth"], {
      file: { name: "c.json", content: { "max-open": 1e9, depth: 4 } },
      environment: { ORBWEAVER_WARC_SIZE: "none", ORBWEAVER_DEPTH: "" },
      flags: {},
    });
    expect({ values, problems }).toEqual({ values: { depth: 4 }, problems: [] });
  });

  it.each([[[]], ["text"], [null], [1]])("refuses a file that holds %j", (content) => {
    const sources = { file: { name: "c.json", content }, environment: {}, flags: {} };
    expect(resolveSettings(names, sources).problems).toEqual([
      "c.json: expected a JSON object of settings",
    ]);
  });

  it("reads lists and switches from the environment", () => {
    const { values } = resolveSettings(names, {
      environment: { ORBWEAVER_INCLUDE: "^https: /docs/", ORBWEAVER_ALLOW_PRIVATE: "yes" },
      flags: {},
    });
    expect(values).toEqual({ include: ["^https:", "/docs/"], "allow-private": true });
  });
});

describe("settings", () => {
  const context = { dataDir: "/data", version: "1.0.0" };

  it("have one name everywhere", () => {
    expect(environmentName("connections-per-host")).toBe("ORBWEAVER_CONNECTIONS_PER_HOST");
    for (const name of Object.keys(settings)) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("ask for no more threads than are of use", () => {
    const read = settings["parser-threads"].read;
    expect(read("32")).toEqual({ ok: true, value: 32 });
    expect(read("33")).toEqual({
      ok: false,
      problem: "must be a whole number from 1 to 32, got 33",
    });
  });

  it("become job options and a peer's configuration, without what was not set", () => {
    expect(jobOptionsOf({ depth: 2, "max-pages": 5, "normalize-query": false })).toEqual({
      depthMax: 2,
      pagesMax: 5,
      normalizeQuery: false,
    });
    expect(peerConfigOf({}, context)).toEqual({
      dataDir: "/data",
      version: "1.0.0",
      userAgent: "orbweaver/1.0.0",
      allowPrivate: false,
      log: { level: "info", format: "text" },
    });
    expect(
      peerConfigOf({ "max-open": 9, "log-level": "error" }, { ...context, logLevel: "warn" }),
    ).toMatchObject({ openRequestsMax: 9, log: { level: "error" } });
  });

  it("leaves out none that is set of how the process crawls", () => {
    const dns = { host: "127.0.0.1", port: 53 };
    const values = {
      dns,
      "allow-private": true,
      "parser-threads": 3,
      "body-max": 2_048,
      "warc-size": 1_048_576,
      "log-format": "json",
    } as const;
    expect(peerConfigOf(values, context)).toMatchObject({
      dns,
      allowPrivate: true,
      parserThreads: 3,
      bodyBytesMax: 2_048,
      warcBytesMax: 1_048_576,
      log: { format: "json" },
    });
  });
});

describe("withoutSettings", () => {
  it("keeps all of an environment but what sets something", () => {
    const environment = { PATH: "/bin", ORBWEAVER_JOIN: "192.0.2.1:7781", ORBWEAVER_CONFIG: "c" };
    expect(withoutSettings(environment)).toEqual({ PATH: "/bin" });
  });
});
