import { errorCode, errorText } from "../src/core/errors.ts";

/** What two of the system's refusals mean, which depends on what was asked of it. */
interface Wording {
  /** It is not there. */
  readonly absent: string;
  /** This user may not. */
  readonly denied: string;
}

const denied = "this user may not write there";
export const readingFile: Wording = {
  absent: "there is no such file",
  denied: "this user may not read it",
};
export const writingFile: Wording = { absent: "there is no such directory", denied };
export const makingDirectory: Wording = { absent: "it cannot be made there", denied };

/** Why the system refused a file or a directory, in a few plain words; its own where there are no better ones. */
export function systemReason(error: unknown, wording: Wording): string {
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
      return wording.denied;
    case "EEXIST":
    case "ENOTDIR":
      return "a file is in the way";
    case "EISDIR":
      return "it is a directory";
    case "ENOENT":
      return wording.absent;
    case "EROFS":
      return "the file system is read-only";
    case "ENOSPC":
      return "the disk is full";
    case undefined:
    default:
      return errorText(error);
  }
}
