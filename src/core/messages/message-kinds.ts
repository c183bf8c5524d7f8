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
  /** Questions of a user, with JSON both ways. */
  status: 9,
  stats: 10,
  jobs: 11,
  content: 12,
});

export type MessageKind = keyof typeof messageKinds;
