/** Files that are open whatever a peer does: of the runtime, the archive, the database's own, and the questions for names. */
const ownFiles = 64;

/** How many connections to the web a peer has at once. */
export interface FileShares {
  /** Requests that are open, each on a connection of its own. */
  readonly openRequestsMax: number;
  /** Connections that wait for the next request. */
  readonly idleConnectionsMax: number;
}

/**
 * What is wanted, or less: a quarter each of the files that the process may have open. LevelDB takes a fifth of them at most;
 * what is left is for the swarm and for users. A peer that finds no file for its archive or its database cannot go on.
 */
export function fileShares(filesMax: number, wanted: FileShares): FileShares {
  const quarter = Math.max(1, Math.floor((filesMax - ownFiles) / 4));
  return {
    openRequestsMax: Math.min(wanted.openRequestsMax, quarter),
    idleConnectionsMax: Math.min(wanted.idleConnectionsMax, quarter),
  };
}

/** Files, connections among them, that this process may have open; infinite where there is no bound, or none is known. */
export function openFilesMax(report: unknown = ownReport()): number {
  const { userLimits } = report as { readonly userLimits?: Readonly<Record<string, unknown>> };
  const limit = userLimits?.["open_files"] as { readonly soft?: unknown } | undefined;
  return typeof limit?.soft === "number" ? limit.soft : Infinity;
}

/** Without the names of those at the other ends of connections, which would be looked up. */
function ownReport(): unknown {
  return Object.assign(process.report, { excludeNetwork: true }).getReport();
}
