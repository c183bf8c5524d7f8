import { beforeEach, describe, expect, it } from "vitest";
import { CrawlError } from "../../../src/core/errors.ts";
import type { ExclusionReason } from "../../../src/core/jobs/exclusion.ts";
import { SeedJudge } from "../../../src/peer/admission/seed-judge.ts";
import type { JudgeRequest } from "../../../src/ports/page-parser.ts";
import { jobWith } from "../../support/parse-requests.ts";

const patterned = jobWith({ exclude: ["x$"] }, "patterned");
const other = jobWith({ exclude: ["x$"] }, "other");
const page = (n: number): string => `http://site.example/${n}`;

/** A parser that answers when it is told to. */
class HeldParser {
  readonly asked: JudgeRequest[] = [];
  readonly #answers: PromiseWithResolvers<readonly (ExclusionReason | undefined)[]>[] = [];

  judgeUrls(request: JudgeRequest): Promise<readonly (ExclusionReason | undefined)[]> {
    const answer = Promise.withResolvers<readonly (ExclusionReason | undefined)[]>();
    this.asked.push(request);
    this.#answers.push(answer);
    return answer.promise;
  }

  /** Answers whatever it has been asked, and will be for it. */
  async answerAll(reasonOf: (url: string) => ExclusionReason | undefined): Promise<void> {
    for (let at = 0; at < this.#answers.length; at += 1) {
      this.#answers[at]?.resolve(this.asked[at]?.urls.map(reasonOf) ?? []);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  break(details: { readonly job?: string }): void {
    this.#answers.at(-1)?.reject(new CrawlError("PARSER_CRASHED", "broken", details));
  }
}

describe("SeedJudge", () => {
  let parser: HeldParser;
  let stop: AbortController;
  let judge: SeedJudge;

  beforeEach(() => {
    parser = new HeldParser();
    stop = new AbortController();
    judge = new SeedJudge(parser, { allowPrivate: false }, stop.signal);
  });

  it("judges in place what no pattern can keep out", async () => {
    const job = jobWith({ include: ["never"], urlBytesMax: 40 });
    const long = `${page(1)}${"0".repeat(40)}`;
    const { seeds, rejections } = await judge.judge(job, [page(1), long]);
    expect(seeds).toEqual([page(1)]);
    expect(rejections.rejected).toEqual([{ input: long, reason: "url-length" }]);
    expect(parser.asked).toEqual([]);
  });

  it("has the parser try patterns, and names what is rejected in the order in which it came", async () => {
    const inputs = [`${page(1)}x`, "ftp://site.example/", page(2), "http://127.0.0.1/x", page(3)];
    const judged = judge.judge(patterned, inputs);
    await parser.answerAll((url) => (url.endsWith("x") ? "pattern" : undefined));
    expect(await judged).toEqual({
      seeds: [page(2), page(3)],
      rejections: {
        rejected: [
          { input: inputs[0], reason: "pattern" },
          { input: inputs[1], reason: "invalid-url" },
          { input: inputs[3], reason: "address-forbidden" },
        ],
        rejectedCount: 3,
      },
    });
    expect(parser.asked.map(({ urls }) => urls)).toEqual([[inputs[0], page(2), page(3)]]);
  });

  it("asks for a thousand URLs at a time, of all jobs in turn", async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => page(n));
    const both = Promise.all([judge.judge(patterned, many), judge.judge(other, [page(1)])]);
    expect(parser.asked).toHaveLength(1);
    await parser.answerAll(() => undefined);
    const [first, second] = await both;
    expect(first.seeds).toEqual(many);
    expect(second.seeds).toEqual([page(1)]);
    expect(parser.asked.map(({ job, urls }) => [job.id, urls.length])).toEqual([
      ["patterned", 1_000],
      ["other", 1],
      ["patterned", 1_000],
      ["patterned", 500],
    ]);
  });

  it("says that a pattern is at fault, and judges those behind it", async () => {
    const endless = expect(judge.judge(patterned, [page(1)])).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining('exclude (--exclude) of job "patterned"') as string,
    });
    const behind = judge.judge(other, [page(1)]);
    parser.break({ job: "patterned" });
    await endless;
    await parser.answerAll(() => undefined);
    expect(await behind).toMatchObject({ seeds: [page(1)] });
  });

  it("lays it at no pattern's door where the parser cannot go on, or is stopped with its peer", async () => {
    for (const code of ["PARSER_CRASHED", "PEER_STOPPED"]) {
      const judged = expect(judge.judge(patterned, [page(1)])).rejects.toMatchObject({ code });
      parser.break({});
      await judged;
      stop.abort();
    }
  });
});
