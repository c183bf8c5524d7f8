/** Flat facts of an event; values are printed as JSON. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Structured log. `event` is a stable kebab-case name, for instance `host-halted`; the facts go into `fields`. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
