import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { InvariantError } from "../../core/errors.ts";
import type { MetricLabels, MetricName, Metrics } from "../../ports/metrics.ts";
import { metricTable } from "./metric-table.ts";

const prefix = "orbweaver_";

/**
 * Measurements in the text format that Prometheus and its kin scrape. Each instance has a registry of its own, so that
 * several peers in one process do not add up.
 */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #setGauges: (() => void)[] = [];

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of Object.keys(metricTable) as MetricName[]) this.#register(name);
  }

  /** MIME type of {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All series as they stand. */
  text(): Promise<string> {
    for (const set of this.#setGauges) set();
    return this.#registry.metrics();
  }

  count(name: MetricName, by = 1, labels: MetricLabels = {}): void {
    registered(this.#counters, name).inc(labels, by);
  }

  gauge(name: MetricName, value: number, labels: MetricLabels = {}): void {
    registered(this.#gauges, name).set(labels, value);
  }

  observe(name: MetricName, value: number, labels: MetricLabels = {}): void {
    registered(this.#histograms, name).observe(labels, value);
  }

  whenRead(setGauges: () => void): void {
    this.#setGauges.push(setGauges);
  }

  #register(name: MetricName): void {
    const description = metricTable[name];
    const common = {
      name: prefix + name,
      help: description.help,
      labelNames: description.label === undefined ? [] : [description.label],
      registers: [this.#registry],
    };
    switch (description.kind) {
      case "counter":
        this.#counters.set(name, new Counter(common));
        break;
      case "gauge":
        this.#gauges.set(name, new Gauge(common));
        break;
      case "histogram":
        this.#histograms.set(name, new Histogram({ ...common, buckets: [...description.buckets] }));
        break;
    }
  }
}

function registered<M>(metrics: ReadonlyMap<MetricName, M>, name: MetricName): M {
  const metric = metrics.get(name);
  if (metric === undefined) throw new InvariantError(`metric ${name} is of another kind`);
  return metric;
}
