import { compressionRatioUsual, type FetchLimits } from "../../ports/fetcher.ts";

/** Bounds of one exchange; each field's meaning and default stand in {@link FetchLimits}. */
export const defaultFetchLimits: FetchLimits = Object.freeze({
  bodyBytesMax: 10 * 1024 * 1024,
  compressionRatioMax: compressionRatioUsual,
  headBytesMax: 32 * 1024,
  connectTimeoutMs: 10_000,
  headTimeoutMs: 15_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 60_000,
  roomTimeoutMs: 600_000,
});
