import { constants } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { failureOfOutcome, requestTo, responseOf } from "../../contracts/fetcher.ts";
import type { ServedOrigin } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

/** Self-signed for tls.test and 127.0.0.1, valid for a hundred years. */
const key = readFileSync(new URL("../../fixtures/tls/key.pem", import.meta.url));
const cert = readFileSync(new URL("../../fixtures/tls/certificate.pem", import.meta.url));

describe("UndiciFetcher over TLS", () => {
  let harness: HttpHarness;
  const names: (string | false | null)[] = [];
  const reused: boolean[] = [];

  async function serve(
    options: ConstructorParameters<typeof HttpHarness>[0],
  ): Promise<ServedOrigin> {
    harness = new HttpHarness(options);
    names.length = 0;
    reused.length = 0;
    const server = createHttpsServer({ key, cert }, (_request, response) => response.end("secret"));
    server.on("secureConnection", (socket) => {
      names.push(socket.servername);
      reused.push(socket.isSessionReused());
    });
    return harness.listen(server, "https");
  }
  afterEach(async () => {
    await harness.stop();
  });

  const named = (site: ServedOrigin, host: string): CanonicalUrl =>
    `https://${host}:${new URL(site.origin).port}/` as CanonicalUrl;

  it("refuses a certificate that nobody vouches for", async () => {
    const site = await serve({});
    const outcome = await harness.fetch(requestTo(site, "/"));
    expect(failureOfOutcome(outcome)).toBe("certificate-untrusted");
  });

  it("accepts it when told so, and names the host of the URL to the server", async () => {
    const site = await serve({ acceptInvalidCertificates: true });
    const url = named(site, "other.test");
    const response = responseOf(await harness.fetch({ ...requestTo(site, "/"), url }));
    expect(new TextDecoder().decode(response.body)).toBe("secret");
    expect(names).toEqual(["other.test"]);
  });

  it("names no host to a server that is called by its address", async () => {
    const site = await serve({ acceptInvalidCertificates: true });
    responseOf(await harness.fetch(requestTo(site, "/")));
    expect(names).toEqual([false]);
  });

  it("resumes the session of an earlier connection", async () => {
    const site = await serve({ acceptInvalidCertificates: true, idleConnectionsMax: 0 });
    const url = named(site, "tls.test");
    responseOf(await harness.fetch({ ...requestTo(site, "/"), url }));
    responseOf(await harness.fetch({ ...requestTo(site, "/"), url }));
    expect(reused).toEqual([false, true]);
  });

  it("offers no session again that the server could not resume", async () => {
    const site = await serve({ acceptInvalidCertificates: true, idleConnectionsMax: 0 });
    const issued = new Set<string>();
    const options = { key, cert, maxVersion: "TLSv1.2" } as const;
    const server = createHttpsServer(
      { ...options, secureOptions: constants.SSL_OP_NO_TICKET },
      (_request, response) => response.end("secret"),
    );
    server.on("newSession", (id: Buffer, _data, done: () => void) => {
      issued.add(id.toString("hex"));
      done();
    });
    server.on("resumeSession", (id: Buffer, done: (error: Error | null, data: null) => void) => {
      done(issued.has(id.toString("hex")) ? new Error("the store is down") : null, null);
    });
    const forgetful = await harness.listen(server, "https");
    const request = { ...requestTo(site, "/"), url: named(forgetful, "tls.test") };
    responseOf(await harness.fetch(request));
    failureOfOutcome(await harness.fetch(request));
    responseOf(await harness.fetch(request));
  });

  it("says tls-error of a server without TLS", async () => {
    harness = new HttpHarness();
    const plain = createTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const site = await harness.listen(plain, "https");
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("tls-error");
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "says tls-error of a server that wants a certificate from its clients (%s)",
    async (maxVersion) => {
      harness = new HttpHarness({ acceptInvalidCertificates: true });
      const server = createHttpsServer(
        { key, cert, maxVersion, requestCert: true, rejectUnauthorized: true },
        (_request, response) => response.end("secret"),
      );
      const site = await harness.listen(server, "https");
      expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("tls-error");
    },
  );

  it("ends a handshake that hangs with connect-timeout", async () => {
    harness = new HttpHarness();
    const site = await harness.raw(() => undefined);
    const request = requestTo(site, "/", {}, { connectTimeoutMs: 60 });
    const outcome = await harness.fetch({ ...request, url: named(site, "tls.test") });
    expect(failureOfOutcome(outcome)).toBe("connect-timeout");
  });
});
