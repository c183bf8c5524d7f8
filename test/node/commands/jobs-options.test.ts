import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

/** The peer of the environment, and the one that the command line names. */
const controls = [new FakePeerControl(), new FakePeerControl()] as const;
let apis: readonly [HttpApi, HttpApi];

beforeEach(async () => {
  for (const control of controls) control.reports.set("docs", jobReport("docs", { queued: 5 }));
  apis = [fakePeerApi(controls[0]), fakePeerApi(controls[1])];
  for (const api of apis) await api.start();
});

afterEach(() => Promise.all(apis.map((api) => api.stop())));

describe("peer jobs with options before the command below it", () => {
  it("changes the job of the peer that they name, and no other", async () => {
    const api = new URL(apis[1].url).host;
    const { out } = await runAgainst(apis[0], ["jobs", "--api", api, "cancel", "docs"]);
    expect(out).toBe("job docs is cancelled\n");
    expect(controls.map(({ changes }) => changes.length)).toEqual([0, 1]);
  });

  it("takes those behind it first", async () => {
    const api = new URL(apis[1].url).host;
    const words = ["jobs", "--api", "127.0.0.1:2", "show", "docs", "--api", api];
    expect(await runAgainst(apis[0], words)).toMatchObject({ exitCode: 0, err: "" });
  });

  it("prints JSON where that is asked for", async () => {
    const { out } = await runAgainst(apis[0], ["jobs", "--json", "show", "docs"]);
    expect(JSON.parse(out)).toMatchObject({ definition: { id: "docs" } });
  });
});
