import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import { HostRecord, UrlRecord } from "../../../../src/core/record/record.pb.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { sampleUrls } from "../sample-pages.ts";
import { sampleBundles, sampleHostRecord, sampleUrlRecord, urlsPerBundle } from "../sample-rows.ts";

interface Codec<T> {
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => T;
}

const count = 2_000;

function startEncode<T>(values: readonly T[], { encode }: Codec<T>): Load {
  return {
    operations: values.length,
    pass: () => values.reduce((sum, value) => sum + encode(value).length, 0),
  };
}

function startDecode<T>(values: readonly T[], { encode, decode }: Codec<T>): Load {
  const rows = values.map(encode);
  return {
    operations: rows.length,
    pass: () => {
      let last: T | undefined;
      for (const row of rows) last = decode(row);
      return last;
    },
  };
}

function bothOf<T>(name: string, codec: Codec<T>, values: () => readonly T[]): MicroBenchmark[] {
  return [
    {
      name: `record/${name}-encode`,
      operation: "record",
      start: () => startEncode(values(), codec),
    },
    {
      name: `record/${name}-decode`,
      operation: "record",
      start: () => startDecode(values(), codec),
    },
  ];
}

export const benchmarks: readonly MicroBenchmark[] = [
  ...bothOf("url", UrlRecord, () => sampleUrls(count).map(sampleUrlRecord)),
  ...bothOf("host", HostRecord, () => Array.from({ length: count }, (_, n) => sampleHostRecord(n))),
  ...bothOf("queue", QueueBundle, () => sampleBundles(sampleUrls(count * urlsPerBundle))),
];
