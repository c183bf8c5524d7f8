/**
 * Entry of the thread of one benchmark.
 *
 * Each has a thread, so that neither the code that others have compiled nor the heap that they fill changes its figures:
 * they are the same whether it is measured alone or among all.
 */
import { parentPort, workerData } from "node:worker_threads";
import { Calibrator } from "./calibration.ts";
import type { Sample } from "./comparison.ts";
import { benchmarkNamed } from "./groups.ts";
import { processMicros, threadMicros } from "./processor-time.ts";

export interface WorkerSettings {
  readonly name: string;
  readonly directory: string;
  readonly chain: Uint32Array<SharedArrayBuffer>;
}

/** Asks for a sample of so many milliseconds, or for the thread's end. */
export type ToWorker = { readonly sampleMs: number } | "end";

/** The first answer says what a pass is. */
export type FromWorker =
  { readonly operations: number; readonly bytes: number | undefined } | Sample;

const { name, directory, chain } = workerData as WorkerSettings;
const { start, threads = "own" } = await benchmarkNamed(name);
const load = await start(directory);
const micros = threads === "own" ? threadMicros : processMicros;
const calibrator = new Calibrator(chain);
const collect = globalThis.gc ?? (() => undefined);

/** So much is measured between two calibrations: less than what disturbs a machine for a moment lasts. */
const sliceMicros = 15_000;

/** Passes until they have taken `sampleMs` together, with calibrations before, between and after them. */
async function sample(sampleMs: number): Promise<Sample> {
  collect();
  const calibrations = [calibrator.calibrate()];
  let spent = 0;
  let passes = 0;
  while (spent < sampleMs * 1_000) {
    let slice = 0;
    while (slice < sliceMicros) {
      await load.prepare?.();
      const startedAt = micros();
      await load.pass();
      slice += micros() - startedAt;
      passes += 1;
    }
    spent += slice;
    calibrations.push(calibrator.calibrate());
  }
  return {
    ns: (spent * 1_000) / (passes * load.operations),
    calibration: {
      computeNs: mean(calibrations.map(({ computeNs }) => computeNs)),
      memoryNs: mean(calibrations.map(({ memoryNs }) => memoryNs)),
    },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function answer(message: FromWorker): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (message: ToWorker) => {
  if (message === "end") {
    // A failure ends the thread, and the one that waits for its end hears of it.
    void Promise.resolve(load.stop?.()).then(() => parentPort?.close());
    return;
  }
  void sample(message.sampleMs).then(answer);
});
answer({ operations: load.operations, bytes: load.bytes });
