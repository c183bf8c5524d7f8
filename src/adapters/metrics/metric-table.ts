import type { MetricLabel, MetricName } from "../../ports/metrics.ts";

/** What a scraper is told of one metric. */
export type MetricDescription = {
  readonly help: string;
  /** What tells its series apart. Without it there is one, which begins at 0: its first change is seen as one. */
  readonly label?: MetricLabel;
} & (
  | { readonly kind: "counter" | "gauge" }
  | { readonly kind: "histogram"; readonly buckets: readonly number[] }
);

/** From a page of the next rack to the longest time that a fetch may take, each about twice the one before. */
const fetchSecondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** From a commit on a fast disk to one that holds up the crawl. */
const commitSecondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Changes in one database batch: a single page without links to a full group. */
const commitOperationsBuckets = [1, 10, 100, 1_000, 10_000, 100_000];

/** URLs in one message: a single link to the most that a message may have. */
const forwardMessageBuckets = [1, 3, 10, 30, 100, 300, 1_000];

/** Every metric's help text, kind and buckets. */
export const metricTable: Readonly<Record<MetricName, MetricDescription>> = {
  admitted_urls_total: {
    kind: "counter",
    help: "URLs admitted to the frontier for the first time",
  },
  archive_bytes_total: { kind: "counter", help: "Compressed bytes appended to the archive" },
  commit_operations: {
    kind: "histogram",
    help: "Changes in one database batch",
    buckets: commitOperationsBuckets,
  },
  commit_seconds: {
    kind: "histogram",
    help: "Time to make one database batch durable",
    buckets: commitSecondsBuckets,
  },
  excluded_urls_total: {
    kind: "counter",
    help: "Discovered URLs kept out, by reason",
    label: "reason",
  },
  fetch_bytes_total: { kind: "counter", help: "Body bytes received, as on the wire" },
  fetch_seconds: {
    kind: "histogram",
    help: "Time of one HTTP exchange, from its start to its last byte",
    buckets: fetchSecondsBuckets,
  },
  fetches_total: {
    kind: "counter",
    help: "Attempts to fetch a URL that ended, by status class or failure",
    label: "result",
  },
  forward_message_urls: {
    kind: "histogram",
    help: "Discovered URLs in one message to the member that owns their sites",
    buckets: forwardMessageBuckets,
  },
  forward_pending_urls: {
    kind: "gauge",
    help: "Discovered URLs on their way to the members that own their sites",
  },
  forwarded_urls_total: {
    kind: "counter",
    help: "Discovered URLs acknowledged by the members that own them",
  },
  frontier_active_hosts: { kind: "gauge", help: "Hosts with queued URLs that are in memory" },
  frontier_held_hosts: {
    kind: "gauge",
    help: "Hosts with queued URLs that are in memory and kept back, by reason; closed: they gave their place up until they open",
    label: "state",
  },
  frontier_queued_urls: { kind: "gauge", help: "URLs waiting to be fetched" },
  info: { kind: "gauge", help: "Always 1: what runs here", label: "version" },
  jobs: {
    kind: "gauge",
    help: "Jobs by state; a finished one has nothing left to do at this peer",
    label: "state",
  },
  links_left_out_total: {
    kind: "counter",
    help: "Links of pages that have more of them than are taken from one page",
  },
  members: {
    kind: "gauge",
    help: "Members of the swarm that this peer knows, by state",
    label: "state",
  },
  network_down: {
    kind: "gauge",
    help: "1 while the peer's own network or name server is down: nobody is there, not even those who were before",
  },
  open_requests: { kind: "gauge", help: "HTTP requests under way" },
  open_requests_max: {
    kind: "gauge",
    help: "HTTP requests that may be under way: fewer while the process itself does not keep up",
  },
  overlay_dropped_notices_total: {
    kind: "counter",
    help: "Datagrams to other members that were dropped, since there was no way or no room",
  },
  overlay_refused_total: {
    kind: "counter",
    help: "Connections refused: another swarm, other cluster options, another version, the same key",
  },
  overlay_violations_total: {
    kind: "counter",
    help: "Streams closed since their sender broke the protocol, by what it did",
    label: "reason",
  },
  queue_full_total: {
    kind: "counter",
    help: "Times that a bounded queue was at its bound, by queue",
    label: "queue",
  },
  replica_pending_rows: {
    kind: "gauge",
    help: "Rows on their way to the members that keep copies of them",
  },
  replica_put_off_members: {
    kind: "gauge",
    help: "Members that take no rows, so that nobody waits for their copies",
  },
  replica_rows_total: { kind: "counter", help: "Rows taken in from other members" },
  sieve_exact_lookups_total: {
    kind: "counter",
    help: "URLs that the Bloom filter could not call new, looked up in the database",
  },
  sieve_offers_total: { kind: "counter", help: "URLs offered to the sieve" },
};
