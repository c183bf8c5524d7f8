/** Every label there is; a metric uses those that it needs. */
export type MetricLabel = "queue" | "reason" | "result" | "state" | "version";

/** Labels of one series; a label's value comes from a small fixed set, never from a URL or a host. */
export type MetricLabels = Readonly<Partial<Record<MetricLabel, string>>>;

/** Sink of measurements. Names are snake_case with the unit last, without the `orbweaver_` prefix that the adapter adds. */
export interface Metrics {
  /** Adds `by` (default 1) to a counter. */
  count(name: MetricName, by?: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  gauge(name: MetricName, value: number, labels?: MetricLabels): void;
  /** Records one observation of a distribution. */
  observe(name: MetricName, value: number, labels?: MetricLabels): void;
  /** Has `setGauges` called before every reading: what only a reader asks for need not be set all the time. */
  whenRead(setGauges: () => void): void;
}

/** Takes all measurements, and keeps none: for where nobody can ask for them. */
export const noMetrics: Metrics = Object.freeze({
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  whenRead: () => undefined,
});

/** Every metric there is; the adapter holds the help text and the buckets of each. */
export type MetricName =
  | "admitted_urls_total"
  | "archive_bytes_total"
  | "commit_operations"
  | "commit_seconds"
  | "excluded_urls_total"
  | "fetch_bytes_total"
  | "fetch_seconds"
  | "fetches_total"
  | "forward_message_urls"
  | "forward_pending_urls"
  | "forwarded_urls_total"
  | "frontier_active_hosts"
  | "frontier_held_hosts"
  | "frontier_queued_urls"
  | "info"
  | "jobs"
  | "links_left_out_total"
  | "members"
  | "network_down"
  | "open_requests"
  | "open_requests_max"
  | "overlay_dropped_notices_total"
  | "overlay_refused_total"
  | "overlay_violations_total"
  | "queue_full_total"
  | "replica_pending_rows"
  | "replica_put_off_members"
  | "replica_rows_total"
  | "sieve_exact_lookups_total"
  | "sieve_offers_total";
