import {
  CrawlError,
  type CrawlErrorCode,
  fileLimitNames,
  isFileTooLong,
  isNoSpace,
} from "../src/core/errors.ts";
import { storedDamage } from "../src/core/protobuf/malformed-message.ts";
import { printable } from "./text/terminal-text.ts";

/** Exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, usedWrongly: 2 } as const;

interface Advice {
  readonly exitCode: number;
  /** What to do about it. Absent where the message itself says it. */
  readonly hint?: string;
}

/** What a user can do about each operational failure. */
export const adviceByCode: Readonly<Record<CrawlErrorCode, Advice>> = {
  API_UNREACHABLE: { exitCode: exitCodes.failed },
  ARCHIVE_CORRUPT: {
    exitCode: exitCodes.failed,
    hint: "move the named file out of the archive directory and start again; the other files are sound",
  },
  ARCHIVE_IO: {
    exitCode: exitCodes.failed,
    hint: "check the disk and the archive directory's permissions, then start again: the crawl continues",
  },
  CHILD_FAILED: { exitCode: exitCodes.failed },
  CONFIG_INVALID: { exitCode: exitCodes.usedWrongly },
  DATA_DIR_LOCKED: { exitCode: exitCodes.failed },
  DATA_DIR_UNUSABLE: {
    exitCode: exitCodes.usedWrongly,
    hint: "name a directory that this user may write to",
  },
  DISK_FULL: {
    exitCode: exitCodes.failed,
    hint: "free some space and start again: nothing is lost, the crawl continues",
  },
  JOB_CANCELLED: { exitCode: exitCodes.failed },
  JOB_UNKNOWN: { exitCode: exitCodes.failed, hint: "peer jobs lists the jobs there are" },
  LISTEN_FAILED: {
    exitCode: exitCodes.failed,
    hint: "name another address with --api HOST:PORT (port 0 takes a free one)",
  },
  MEMBER_UNREACHABLE: {
    exitCode: exitCodes.failed,
    hint: "peer members lists who is there; ask again when that peer is back",
  },
  NOT_ARCHIVED: { exitCode: exitCodes.failed, hint: "peer status URL says what is known of it" },
  PARSER_CRASHED: {
    exitCode: exitCodes.failed,
    hint: "start again: the crawl continues; if it comes again, try fewer --parser-threads",
  },
  PEER_STOPPED: {
    exitCode: exitCodes.failed,
    hint: "ask another peer, or this one when it is back",
  },
  STORE_CORRUPT: {
    exitCode: exitCodes.failed,
    hint: "restore the state directory from a copy, or crawl into another directory; the archive is apart and sound",
  },
  STORE_IO: {
    exitCode: exitCodes.failed,
    hint: "check the disk and the state directory's permissions, then start again: the crawl continues",
  },
  STORE_VERSION: {
    exitCode: exitCodes.failed,
    hint: "use the version that wrote the directory, or name another directory",
  },
  SUPERSEDED: {
    exitCode: exitCodes.failed,
    hint: "give each peer a data directory of its own",
  },
  SWARM_BUSY: {
    exitCode: exitCodes.failed,
    hint: "the acknowledged ones are safe; try again when the swarm has settled",
  },
};

/** The system's words, whatever was to be opened: no other directory and no other disk helps. */
const outOfFiles = /\bE[MN]FILE\b|too many open files/iu;
const outOfFilesAdvice: Advice = {
  exitCode: exitCodes.failed,
  hint: "let the process open more files (ulimit -n, LimitNOFILE=) and start again",
};

/** There is room, but not in that file. */
const fileTooLongAdvice: Advice = {
  exitCode: exitCodes.failed,
  hint: `let the process write longer files (${fileLimitNames}) and start again: nothing is lost, the crawl continues`,
};

/** A failure as the user sees it. */
export interface ErrorReport {
  /** Whole lines, each with its end; one unless several settings are wrong. */
  readonly text: string;
  readonly exitCode: number;
}

/** One line that says what was wrong and what to do. A bug keeps its stack: it is for the developers. */
export function errorReport(thrown: unknown): ErrorReport {
  const error = operational(thrown);
  if (!(error instanceof CrawlError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      text: `peer: this is a bug in orbweaver, please report it: ${stack}\n`,
      exitCode: exitCodes.failed,
    };
  }
  const { exitCode, hint } = adviceFor(error);
  const lines = error.message.split("\n").map((line) => `peer: ${printable(line)}`);
  // A message that says what to do has it after a semicolon, and knows better than the table.
  const told = hint === undefined || error.message.includes(";");
  const text = told ? lines.join("\n") : `${lines.join("\n").replace(/\.$/, "")}; ${hint}`;
  return { text: `${text}\n`, exitCode };
}

function adviceFor({ code, message }: CrawlError): Advice {
  if (outOfFiles.test(message)) return outOfFilesAdvice;
  return isFileTooLong(message) ? fileTooLongAdvice : adviceByCode[code];
}

/** What the system refused is no bug, wherever it surfaced, and neither is what is damaged on disk. */
function operational(error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error && "code" in error))
    return storedDamage(error);
  const code = isNoSpace(error.code) ? "DISK_FULL" : "DATA_DIR_UNUSABLE";
  return new CrawlError(code, error.message, {}, { cause: error });
}

/** The message for wrong use, one line for each thing that is wrong. */
export function usageError(...problems: readonly string[]): CrawlError {
  return new CrawlError("CONFIG_INVALID", problems.join("\n"));
}
