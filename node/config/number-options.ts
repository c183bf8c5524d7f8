import { usageError } from "../error-line.ts";
import { wholeNumber, type NumberRange } from "./value-readers.ts";

/**
 * The whole numbers among the options of one command alone, as far as they are given. Fails with `CONFIG_INVALID` and a line
 * for each that is out of its range.
 */
export function numbersOf<Name extends string>(
  given: Readonly<Record<string, unknown>>,
  ranges: Readonly<Record<Name, NumberRange>>,
): Partial<Record<Name, number>> {
  const numbers: Partial<Record<Name, number>> = {};
  const problems: string[] = [];
  for (const name of Object.keys(ranges) as Name[]) {
    const raw = given[name];
    if (raw === undefined) continue;
    const reading = wholeNumber(ranges[name])(raw);
    if (reading.ok) numbers[name] = reading.value;
    else problems.push(`--${name} ${reading.problem}`);
  }
  if (problems.length > 0) throw usageError(...problems);
  return numbers;
}
