import { existsSync } from "node:fs";

/** The end of a word that names a file which this process alone has: one that was open when it began. */
const ownFile = /\/(?:dev|proc\/self)\/fd\/(\d{1,3})$/;

/**
 * Open descriptors that the words of a command line name as files, but for those of standard input and output: what a shell
 * makes of `--file <(grep docs urls.txt)` is `--file /dev/fd/11`. Node.js lets the low ones, which zsh takes, end with the
 * process, so that a program which it starts, or which takes its place, would find another file there or none.
 */
export function namedDescriptors(words: readonly string[]): readonly number[] {
  const numbers = words.map((word) => Number(ownFile.exec(word)?.[1] ?? 0));
  return numbers.filter((descriptor) => descriptor > 2 && existsSync(`/dev/fd/${descriptor}`));
}
