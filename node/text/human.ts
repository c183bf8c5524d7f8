export * from "../../src/core/text/human.ts";
