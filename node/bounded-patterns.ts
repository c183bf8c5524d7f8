import { setFlagsFromString } from "node:v8";

/**
 * Bounds the time that one pattern takes on one URL, in all threads. A pattern that repeats what repeats, such as
 * `(\w+[-/.:]*)+\.pdf$`, may be tried in as many ways as 2 to the power of the URL's length, and nothing can interrupt it:
 * requests, members and the user would wait for seconds at each such URL. After 50,000 steps back V8 begins anew with its other
 * engine, which is slower and takes a time linear in the URL's length: a few milliseconds in all.
 *
 * That engine knows no look-ahead and no back-reference, and of `{n,m}` only what is short; a pattern with one of these
 * runs unbounded. It is not used for all patterns since it takes some fifty times as long on harmless ones.
 *
 * To be called before the first pattern is compiled.
 */
export function boundPatternTime(): void {
  setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");
}
