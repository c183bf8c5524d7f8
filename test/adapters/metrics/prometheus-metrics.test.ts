import { describe, expect, it } from "vitest";
import { metricTable } from "../../../src/adapters/metrics/metric-table.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";

describe("PrometheusMetrics", () => {
  it("adds up counters by label and keeps the last value of a gauge", async () => {
    const metrics = new PrometheusMetrics();
    metrics.count("fetches_total", 1, { result: "2xx" });
    metrics.count("fetches_total", 2, { result: "2xx" });
    metrics.count("fetches_total", 1, { result: "connect-timeout" });
    metrics.gauge("open_requests", 7);
    metrics.gauge("open_requests", 3);
    const text = await metrics.text();
    expect(text).toContain('orbweaver_fetches_total{result="2xx"} 3\n');
    expect(text).toContain('orbweaver_fetches_total{result="connect-timeout"} 1\n');
    expect(text).toContain("orbweaver_open_requests 3\n");
  });

  it("sorts observations into the buckets of the table", async () => {
    const metrics = new PrometheusMetrics();
    for (const seconds of [0.004, 0.2, 0.2, 120]) metrics.observe("fetch_seconds", seconds);
    const text = await metrics.text();
    expect(text).toContain('orbweaver_fetch_seconds_bucket{le="0.005"} 1\n');
    expect(text).toContain('orbweaver_fetch_seconds_bucket{le="0.25"} 3\n');
    expect(text).toContain('orbweaver_fetch_seconds_bucket{le="60"} 3\n');
    expect(text).toContain('orbweaver_fetch_seconds_bucket{le="+Inf"} 4\n');
    expect(text).toContain("orbweaver_fetch_seconds_count 4\n");
  });

  it("says what every metric is, and tells of the process itself", async () => {
    const text = await new PrometheusMetrics().text();
    for (const [name, { kind, help }] of Object.entries(metricTable)) {
      expect(text).toContain(`# HELP orbweaver_${name} ${help}\n`);
      expect(text).toContain(`# TYPE orbweaver_${name} ${kind}\n`);
    }
    expect(text).toContain("process_resident_memory_bytes");
  });

  it("begins each series that there is from the start at 0, so that its first change shows", async () => {
    const text = await new PrometheusMetrics().text();
    for (const [name, { kind, label }] of Object.entries(metricTable)) {
      const series = `\norbweaver_${name}${kind === "histogram" ? "_count" : ""} 0\n`;
      if (label === undefined) expect(text).toContain(series);
      else expect(text).not.toContain(series);
    }
  });

  it("keeps the peers of one process apart", async () => {
    const one = new PrometheusMetrics();
    const other = new PrometheusMetrics();
    one.count("admitted_urls_total", 5);
    other.count("admitted_urls_total", 1);
    expect(await other.text()).toContain("orbweaver_admitted_urls_total 1\n");
  });

  it("has what only a reader asks for set before each reading", async () => {
    const metrics = new PrometheusMetrics();
    let members = 1;
    metrics.whenRead(() => metrics.gauge("members", members, { state: "active" }));
    expect(await metrics.text()).toContain('orbweaver_members{state="active"} 1\n');
    members = 2;
    expect(await metrics.text()).toContain('orbweaver_members{state="active"} 2\n');
  });

  it("treats a counter that is set like a gauge as a bug", () => {
    expect(() => new PrometheusMetrics().gauge("fetches_total", 1)).toThrow("another kind");
  });
});
