import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  defaultParserPoolOptions,
  type ParserPoolOptions,
} from "../../../src/adapters/parser-pool/parser-pool-options.ts";
import { ParserPool } from "../../../src/adapters/parser-pool/parser-pool.ts";
import { ParserThread } from "../../../src/adapters/parser-pool/parser-thread.ts";
import {
  knownJobsMax,
  type ThreadAnswer,
  type ToThread,
} from "../../../src/adapters/parser-pool/thread-messages.ts";
import { unpackLinks } from "../../../src/core/page/packed-links.ts";
import type { ParseRequest } from "../../../src/ports/page-parser.ts";
import { jobWith, parseRequest } from "../../support/parse-requests.ts";

/** Backtracks for longer than anyone waits on the URL below. */
const endlessJob = jobWith({ exclude: ["(a+)+$"] }, "endless");
const endlessPage = parseRequest({ job: endlessJob, html: `<a href="${"a".repeat(200)}!">` });
/** After which it is given up: a small page takes a fiftieth of it, and a thread's loading does not count. */
const endlessMs = 500;

describe("ParserPool", () => {
  const pools: ParserPool[] = [];

  async function started(options: Partial<ParserPoolOptions>): Promise<ParserPool> {
    const pool = new ParserPool({
      ...defaultParserPoolOptions(),
      threads: 1,
      pendingMax: 32,
      ...options,
    });
    pools.push(pool);
    await pool.start();
    return pool;
  }

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.stop()));
  });

  it("replaces a thread that takes too long, and parses the pages that waited for it", async () => {
    const pool = await started({ pageMsMax: endlessMs });
    const endless = pool.parse(endlessPage);
    const waiting = Array.from({ length: 5 }, () => pool.parse(parseRequest()));
    await expect(endless).rejects.toMatchObject({
      code: "PARSER_CRASHED",
      details: { url: "http://e.org/dir/" },
    });
    const pages = await Promise.all(waiting);
    expect(pages.map(({ title }) => title)).toEqual(Array(5).fill("T"));
  });

  it("tries the job's patterns on where a response redirects to", async () => {
    const pool = await started({ pageMsMax: endlessMs });
    const request = parseRequest({ job: endlessJob });
    const redirect = (location: string): ParseRequest => ({
      ...request,
      exchange: { ...request.exchange, status: 301, headers: ["Location", location] },
      redirectChain: ["http://e.org/before"],
    });
    const endless = pool.parse(redirect(`/${"a".repeat(200)}!`));
    await expect(endless).rejects.toThrow(`more than ${endlessMs} ms`);
    const { redirect: plan } = await pool.parse(redirect("/dir/b"));
    const chain = ["http://e.org/before", "http://e.org/dir/"];
    expect(plan).toEqual({ kind: "admit", target: "http://e.org/dir/b", chain });
    const { redirect: kept } = await pool.parse(redirect("/a"));
    expect(kept).toMatchObject({ kind: "end", reason: "pattern" });
  });

  it("heeds what a page says to the crawler of the name that it is given", async () => {
    const html = `<meta name="MyBot" content="nofollow"><a href="x">x</a>`;
    const page = parseRequest({ html });
    const [own, other] = await Promise.all([started({ botName: "mybot" }), started({})]);
    const linksFound = async (pool: ParserPool) => unpackLinks((await pool.parse(page)).links);
    expect(await linksFound(own)).toEqual([]);
    expect(await linksFound(other)).toEqual(["http://e.org/dir/x"]);
  });

  it("starts a thread when the one that it replaces has ended", async () => {
    const made = once(process, "worker") as Promise<[Worker]>;
    const pool = await started({ pageMsMax: endlessMs });
    const [first] = await made;
    const order: string[] = [];
    first.once("exit", () => order.push("ended"));
    process.once("worker", () => order.push("started"));
    const endless = expect(pool.parse(endlessPage)).rejects.toThrow(`more than ${endlessMs} ms`);
    await pool.parse(parseRequest());
    await endless;
    expect(order).toEqual(["ended", "started"]);
  });

  it("gives a long body the time that it takes to compress", async () => {
    const pool = await started({ pageMsMax: 1 });
    const small = parseRequest();
    const body = new Uint8Array(40_000_000);
    const exchange = { ...small.exchange, encodedBody: body };
    const headers = ["Content-Type", "application/octet-stream"];
    const page = await pool.parse({ ...small, body, exchange, contentHeaders: headers });
    expect(page.capture.responseLength).toBeGreaterThan(35_000);
  });

  it("replaces a thread that runs out of memory", async () => {
    const pool = await started({ heapMbMax: 24 });
    const links = Array.from({ length: 50_000 }, (_, n) => `<a href="/${n}/${"p".repeat(300)}">`);
    const large = parseRequest({ html: links.join("") });
    const waiting = pool.parse(parseRequest({ html: "<title>small</title>" }));
    const broken = expect(pool.parse(large)).rejects.toMatchObject({ code: "PARSER_CRASHED" });
    expect((await waiting).title).toBe("small");
    await broken;
    expect((await pool.parse(parseRequest())).title).toBe("T");
  });

  it("lays the end of a thread at no page's door that may have suffered from one before", async () => {
    const made = once(process, "worker") as Promise<[Worker]>;
    const pool = await started({});
    const [worker] = await made;
    await pool.parse(parseRequest());
    const next = pool.parse(parseRequest());
    // Pages are sent at the end of the turn: it ends before this one comes.
    worker.postMessage({ kind: "end" } satisfies ToThread);
    expect((await next).title).toBe("T");
  });

  it.each([
    ["end before they are loaded", "data:text/javascript,throw new Error('broken')"],
    // As where the system has no thread to give, Node.js throws at once.
    ["cannot be made", "http://e.org/parser.js"],
  ])(
    "blames no page where threads %s, and takes the next where one starts again",
    async (_what, broken) => {
      let entry = new URL(broken);
      const thread = new ParserThread({
        ...defaultParserPoolOptions(),
        get entry() {
          return entry;
        },
      });
      const parse = (): Promise<ThreadAnswer> =>
        new Promise((resolve, reject) => thread.add({ request: parseRequest(), resolve, reject }));
      await expect(thread.start()).rejects.toMatchObject({
        code: "PARSER_CRASHED",
        message: expect.stringMatching(/did not start \(.+\)/) as string,
      });
      const outcomes = await Promise.allSettled([parse(), parse()]);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { code: "PARSER_CRASHED" } });
        expect(outcome).toHaveProperty("reason.message", expect.stringMatching(/started \(.+\)$/));
        expect(outcome).toHaveProperty("reason.details", {});
      }
      entry = new URL("../../../dist/parser-thread.js", import.meta.url);
      expect(await parse()).toMatchObject({ page: { title: "T" } });
      await thread.stop();
    },
  );

  it("gives a page to a thread that has fewer", async () => {
    const pool = await started({ threads: 2, pageMsMax: endlessMs });
    const endless = expect(pool.parse(endlessPage)).rejects.toThrow(`more than ${endlessMs} ms`);
    let over = false;
    const ended = endless.then(() => (over = true));
    const page = await pool.parse(parseRequest());
    expect(unpackLinks(page.links)).toEqual(["http://e.org/dir/x"]);
    expect(over).toBe(false);
    await ended;
  });

  it("takes no more pages at once than it promises", async () => {
    const pool = await started({ pendingMax: 2 });
    const both = Promise.all([pool.parse(parseRequest()), pool.parse(parseRequest())]);
    await expect(pool.parse(parseRequest())).rejects.toThrow("pendingMax");
    await both;
    expect((await pool.parse(parseRequest())).title).toBe("T");
  });

  it("knows each page's job where more jobs come at once than a thread keeps", async () => {
    const count = 3 * knownJobsMax;
    const pool = await started({ pendingMax: count });
    const pages = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        pool.parse(parseRequest({ job: jobWith({ exclude: n % 2 === 0 ? ["x$"] : [] }, `${n}`) })),
      ),
    );
    const found = pages.map(({ links }) => unpackLinks(links).length);
    expect(found).toEqual(Array.from({ length: count }, (_, n) => n % 2));
  });

  it("goes by the options that a page's job has, whatever their revision: two members change a job at once", async () => {
    const pool = await started({});
    const own = await pool.parse(parseRequest({ job: jobWith({ exclude: ["x$"] }) }));
    const merged = await pool.parse(parseRequest({ job: jobWith({}) }));
    expect([own, merged].map(({ links }) => unpackLinks(links).length)).toEqual([0, 1]);
  });

  it("moves a large record over as it is", async () => {
    const pool = await started({});
    const noise = Uint8Array.from({ length: 500_000 }, (_, n) => (n * n * 2_654_435_761) >>> 13);
    const page = await pool.parse({ ...parseRequest({ encoded: noise }), body: noise });
    const { bytes, responseLength } = page.capture;
    expect(responseLength).toBeGreaterThan(32 * 1_024);
    expect(gunzipSync(bytes.subarray(0, responseLength)).includes(Buffer.from(noise))).toBe(true);
    expect(gunzipSync(bytes.subarray(responseLength)).toString()).toContain("GET /dir/ HTTP/1.1");
  });

  it("lets a thread that is still loading end by itself, however long that takes", async () => {
    const made = once(process, "worker") as Promise<[Worker]>;
    const loading = expect(started({})).rejects.toMatchObject({ code: "PARSER_CRASHED" });
    const [thread] = await made;
    const terminate = vi.spyOn(thread, "terminate");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stopped = Promise.all(pools.map((pool) => pool.stop()));
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await Promise.all([stopped, loading]);
    expect(terminate).not.toHaveBeenCalled();
  });

  it("leaves no thread behind", async () => {
    const threads = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === "MessagePort").length;
    const before = threads();
    const pool = await started({ threads: 2 });
    expect(threads()).toBeGreaterThan(before);
    const endless = pool.parse(endlessPage).catch((error: unknown) => error);
    await pool.stop();
    expect(await endless).toMatchObject({ code: "PARSER_CRASHED" });
    expect(threads()).toBe(before);
  });
});

describe("defaultParserPoolOptions", () => {
  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [64, 8],
  ])("takes, of %d cores, %d for its threads", (cores, threads) => {
    expect(defaultParserPoolOptions(cores)).toMatchObject({ threads, pendingMax: 16 * threads });
  });
});
