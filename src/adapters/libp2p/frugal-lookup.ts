import { lookup, type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Millis } from "../../core/units.ts";

/** As many as Node.js has threads for; what it is asked beyond that waits inside of it, and keeps the process from its end. */
const lookupsMax = 2;

type Callback = Parameters<LookupFunction>[2];
type Answer = Parameters<Callback>;

interface Question {
  readonly name: string;
  readonly options: LookupOptions;
  readonly askedAtMs: Millis;
  readonly callbacks: Callback[];
}

/**
 * The system's own way to the addresses of a name, for dials that are given up after `withinMs`. A name server that does not
 * answer holds it for ten seconds and more, and it cannot be called off: a name is asked for once at a time, however often it is
 * dialled meanwhile, and what nobody waits for any more when its turn comes is not asked for at all. Else a peer would look up
 * for minutes what it has long given up, and would not end before.
 */
export function frugalLookup(
  withinMs: Millis,
  lookUp: LookupFunction = lookup,
  nowMs: () => Millis = () => performance.now(),
): LookupFunction {
  const questions = new Map<string, Question>();
  const waiting: string[] = [];
  let running = 0;
  const isLate = ({ askedAtMs }: Question): boolean => nowMs() - askedAtMs >= withinMs;
  const end = (key: string, question: Question, answer: Answer): void => {
    questions.delete(key);
    // Whoever asked first has given up, and those who came later do in their time: they all tell of no answer.
    if (answer[0] && isLate(question)) return;
    for (const callback of question.callbacks) callback(...answer);
  };
  const next = (): void => {
    while (running < lookupsMax) {
      const key = waiting.shift();
      const question = key === undefined ? undefined : questions.get(key);
      if (key === undefined || question === undefined) return;
      if (isLate(question)) {
        questions.delete(key);
        continue;
      }
      running += 1;
      lookUp(question.name, question.options, (...answer) => {
        running -= 1;
        end(key, question, answer);
        next();
      });
    }
  };
  return (name, options, callback) => {
    const key = JSON.stringify([name, options]);
    const known = questions.get(key);
    if (known) {
      known.callbacks.push(callback);
      return;
    }
    questions.set(key, { name, options, askedAtMs: nowMs(), callbacks: [callback] });
    waiting.push(key);
    next();
  };
}
