/** One request as the server saw it: the only witness that the benchmark believes. */
export interface ServerHit {
  readonly finishedAtMs: number;
  readonly host: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly status: number;
}

/** A site being served. */
export interface SiteServer {
  /** Where every tool starts. */
  readonly startUrl: string;
  /** Whether links to other hosts belong to the site. */
  readonly anyHost: boolean;
  /** What serves it, with its version. */
  readonly software: string;
  /** Stops it; what it saw, in order. Idempotent. */
  stop(): Promise<readonly ServerHit[]>;
}

/** One name for all spellings of a page's address: tools escape differently. */
export function pageKey(host: string, path: string): string {
  try {
    return host + decodeURI(path);
  } catch {
    return host + path;
  }
}
