/** A refresh as written: the target is not resolved yet. */
export interface RefreshInstruction {
  readonly seconds: number;
  /** Absent where the document refreshes itself. */
  readonly target?: string;
}

/** Longer waits are as good as none; also keeps thousands of digits from becoming Infinity. */
const secondsMax = 365 * 86_400;

/**
 * Reads the value of `<meta http-equiv=refresh>` or of a `Refresh` header (HTML Standard, section 4.2.5.3, "shared
 * declarative refresh steps"), except that the fraction of a second is kept: browsers wait it.
 */
export function parseRefresh(value: string): RefreshInstruction | undefined {
  const time = /^[\t\n\f\r ]*(?:([0-9]+)|(?=\.))([0-9.]*)/.exec(value);
  if (time === null) return undefined;
  const fraction = /^\.[0-9]+/.exec(time[2] ?? "")?.[0] ?? "";
  const seconds = Math.min(Number(`${time[1] ?? "0"}${fraction}`), secondsMax);

  const rest = value.slice(time[0].length);
  if (rest === "") return { seconds };
  const separator = /^(?:[\t\n\f\r ]+[;,]?|[;,])[\t\n\f\r ]*/.exec(rest);
  if (separator === null) return undefined;
  const target = refreshTarget(rest.slice(separator[0].length));
  return target === "" ? { seconds } : { seconds, target };
}

/** The `url=` before the target and the quotes around it may be missing, each on its own. */
function refreshTarget(text: string): string {
  const prefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(text)?.[0] ?? "";
  if (prefix === "" && /^u/i.test(text)) return text;
  const target = text.slice(prefix.length);
  const quote = target.charAt(0);
  if (quote !== '"' && quote !== "'") return target;
  const end = target.indexOf(quote, 1);
  return target.slice(1, end < 0 ? undefined : end);
}
