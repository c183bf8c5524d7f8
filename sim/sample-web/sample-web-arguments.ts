import type { SampleWebOptions } from "./sample-web-options.ts";
import { defaultSampleWebOptions, plainSampleWebOptions } from "./sample-web-options.ts";

/** Arguments of a command that says what the sample web is like. */
export interface SampleWebArguments {
  readonly preset?: string | undefined;
  readonly sites?: string | undefined;
  readonly pages?: string | undefined;
  readonly seed?: string | undefined;
  readonly addresses?: boolean | undefined;
  /** `NAME=VALUE` for any knob, `shares.KIND=VALUE` for the share of a kind. */
  readonly set?: readonly string[] | undefined;
}

const presets: Readonly<Record<string, SampleWebOptions>> = {
  default: defaultSampleWebOptions,
  plain: plainSampleWebOptions,
};

/** The options that the arguments say; throws a RangeError that names the argument which is wrong. */
export function sampleWebOptionsFrom(given: SampleWebArguments): SampleWebOptions {
  const start = presets[given.preset ?? "default"];
  if (start === undefined)
    throw new RangeError(`no preset ${given.preset ?? ""}: default or plain`);
  const top: Record<string, unknown> = { ...start };
  const shares: Record<string, number> = { ...start.shares };
  const settings = [...(given.set ?? [])];
  if (given.addresses === true) {
    settings.push("naming=addresses", "hostsPerSite=1", "hostsPerAddress=1");
  }
  if (given.sites !== undefined) settings.push(`sites=${given.sites}`);
  if (given.pages !== undefined) settings.push(`totalPages=${given.pages}`);
  if (given.seed !== undefined) settings.push(`seed=${given.seed}`);
  for (const setting of settings) {
    const equals = setting.indexOf("=");
    const name = setting.slice(0, equals);
    const text = setting.slice(equals + 1);
    const kind = name.startsWith("shares.") ? name.slice("shares.".length) : undefined;
    const target: Record<string, unknown> = kind === undefined ? top : shares;
    const key = kind ?? name;
    if (equals < 1 || key === "shares" || !Object.hasOwn(target, key)) {
      throw new RangeError(`the sample web has no option ${equals < 1 ? setting : name}`);
    }
    const value = typeof target[key] === "number" ? Number(text) : text;
    if (Number.isNaN(value)) throw new RangeError(`${name} must be a number, got ${text}`);
    target[key] = value;
  }
  // The keys and the kinds of values are those of `start`.
  return {
    ...start,
    ...(top as Partial<SampleWebOptions>),
    shares: { ...start.shares, ...shares },
  };
}
