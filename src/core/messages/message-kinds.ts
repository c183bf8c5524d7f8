/**
 * Numbers of the kinds of requests. The table only grows: a number is never given a second meaning. Each kind has its own
 * message, and its reply another.
 */
export const messageKinds = Object.freeze({
  /** Discovered URLs for the peer that holds their sites. */
  forward: 1,
  /** Rows for a copy. */
  rows: 2,
  /** Compares a copy with what it is a copy of. */
  rangeDigests: 3,
  /** Asks for the rows of a range. */
  pullRows: 4,
  /** Tells a member that its copy of arcs is complete. */
  synced: 5,
  /** Passes the right to arcs on. */
  transfer: 6,
  /** Asks who holds arcs. */
  whoHolds: 7,
  /** Asks whether a job is at rest. */
  activity: 8,
  /** Questions of users: what is known of URLs, ... */
  status: 9,
  /** ... a member's figures, ... */
  stats: 10,
  /** Compares definitions of jobs. */
  jobs: 11,
  /** ... a part of an archived response, ... */
  content: 12,
  /** ... and what is known of a host. */
  host: 13,
  /** Asks for the loan of addresses, and gives them back. */
  lendAddresses: 14,
  /** Calls addresses back, or their next borrower. */
  callAddresses: 15,
  /** Asks a former steward of addresses who has them on loan. */
  handOverAddresses: 16,
  /** Tells a member that its copy of arcs is kept up to date no more. */
  released: 17,
  /** Rows of an earlier run for the member that holds their arcs. */
  homeRows: 18,
  /** A question of users: which URLs there are. */
  list: 19,
});

export type MessageKind = keyof typeof messageKinds;
