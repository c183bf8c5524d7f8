import { expect, it, onTestFinished } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import type { ArchivedResponse } from "../../../src/ports/archive.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import type { UrlFilter, UrlList } from "../../../src/ports/peer-control.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

/** Where an archived response, or a list, waits for its turn until its asker is gone. */
class FullPeer extends FakePeerControl {
  readonly reached = Promise.withResolvers<undefined>();

  override content(_url: string, _job?: string, signal?: AbortSignal): Promise<ArchivedResponse> {
    return this.#turn(signal);
  }

  override urls(
    _job: JobId,
    _filter: UrlFilter,
    _from?: string,
    signal?: AbortSignal,
  ): Promise<UrlList> {
    return this.#turn(signal);
  }

  #turn(signal?: AbortSignal): Promise<never> {
    this.reached.resolve(undefined);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  }
}

const page = "?url=http%3A%2F%2Fa.example%2F";

it.each([`content${page}`, `content/head${page}`, "urls?job=j"])(
  "asks for no %s any more for who is gone",
  async (route) => {
    const control = new FullPeer();
    const brokenOff = Promise.withResolvers<unknown>();
    const none = (): void => undefined;
    const told = (event: string): void => brokenOff.resolve(event);
    const logger: Logger = { debug: told, info: none, warn: told, error: told };
    const api = fakePeerApi(control, { logger });
    await api.start();
    onTestFinished(() => api.stop());
    const gone = new AbortController();
    const answer = fetch(`${api.url}/v1/${route}`, { signal: gone.signal });
    await control.reached.promise;
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    expect(await brokenOff.promise).toBe("api-request-broken-off");
  },
);
