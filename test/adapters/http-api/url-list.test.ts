import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;
let api: HttpApi;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control);
  await api.start();
});

afterEach(() => api.stop());

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${api.url}/v1${path}`);
  return { status: response.status, body: await response.json() };
}

describe("HttpApi, asked which URLs there are", () => {
  it("lists the URLs of a job in parts, filtered", async () => {
    const common = { state: "done", attempts: 1, owner: "peer-0" } as const;
    for (const [url, httpStatus] of [
      ["http://a/", 200],
      ["http://b/", 404],
      ["http://c/", 410],
    ] as const) {
      control.statuses.set(url, { url, httpStatus, ...common });
    }
    const first = await get("/urls?job=j&http=4xx");
    expect(first.body).toMatchObject({ urls: [{ url: "http://b/", job: "j" }], next: "1-2-3" });
    const rest = await get("/urls?job=j&http=4xx&state=fetched&from=1-2-3");
    expect(rest.body).toMatchObject({ urls: [{ url: "http://c/" }] });
    expect(rest.body).not.toHaveProperty("next");
    expect((await get("/urls?job=j&broken")).body).toEqual(
      (await get("/urls?job=j&http=4xx")).body,
    );
    for (const query of ["", "?job=j&http=4", "?job=j&state=done", "?job=J%20J"]) {
      expect(await get(`/urls${query}`)).toMatchObject({ status: 400 });
    }
  });
});
