import { defaultParserPoolOptions } from "../../src/adapters/parser-pool/parser-pool-options.ts";
import { ParserPool } from "../../src/adapters/parser-pool/parser-pool.ts";
import { InlineParser } from "../support/inline-parser.ts";
import { pageParserContract } from "./page-parser.ts";

pageParserContract("InlineParser", () => new InlineParser());
pageParserContract("ParserPool", () => {
  return new ParserPool({
    ...defaultParserPoolOptions(),
    threads: 2,
    pendingMax: 32,
    pageMsMax: 2_000,
  });
});
