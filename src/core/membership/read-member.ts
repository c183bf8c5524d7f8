import { isRingWeight } from "../ring/member-tokens.ts";
import type { MemberId, Millis } from "../units.ts";
import type { Member, MemberHealth, MemberRole } from "./member.ts";

/** A public key's text form has 52 or 59 characters. */
const idCharactersMax = 128;
/** Addresses that a member tells of, at most. It listens at a few; relays and several networks make it more. */
export const addressesMax = 8;
export const addressCharactersMax = 128;
const versionCharactersMax = 64;
/** A run with one change each millisecond reaches it after 49 days. */
export const incarnationMax = 0xffff_ffff;
/** Clocks may differ by this much; a generation of a later time would supersede all honest ones for ever. */
export const clocksApartMaxMs: Millis = 24 * 3_600_000;

const roles: readonly unknown[] = ["joining", "active", "leaving", "left"] satisfies MemberRole[];
const healths: readonly unknown[] = ["alive", "suspect", "dead"] satisfies MemberHealth[];

/** Visible ASCII: one byte a character, and nothing that could disturb a log or a terminal. */
const visible = /^[\x21-\x7e]+$/;

/**
 * A claim from outside, checked and bounded: the row, without whatever else was there; undefined when it is none. What it
 * says may still be wrong.
 */
export function readMember(data: unknown, nowMs: Millis): Member | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { id, addresses, weight, version, generation, incarnation, role, health } =
    data as Readonly<Record<string, unknown>>;
  if (!isMemberId(id) || !isAddresses(addresses) || !isText(version, versionCharactersMax)) {
    return undefined;
  }
  if (typeof weight !== "number" || !isRingWeight(weight)) return undefined;
  if (!isCount(generation, Number.MAX_SAFE_INTEGER) || !isTimely(generation, nowMs)) {
    return undefined;
  }
  if (!isCount(incarnation, incarnationMax)) return undefined;
  if (!isRole(role) || !isHealth(health)) return undefined;
  return { id, addresses: [...addresses], weight, version, generation, incarnation, role, health };
}

/** Whether a run can have begun by now, as far as clocks differ. */
export function isTimely(generation: Millis, nowMs: Millis): boolean {
  return generation <= nowMs + clocksApartMaxMs;
}

export function isMemberId(value: unknown): value is MemberId {
  return isText(value, idCharactersMax);
}

/** A whole number from 0 to `max`. */
export function isCount(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}

function isText(value: unknown, charactersMax: number): value is string {
  return typeof value === "string" && value.length <= charactersMax && visible.test(value);
}

function isAddresses(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= addressesMax &&
    value.every((address) => isText(address, addressCharactersMax))
  );
}

function isRole(value: unknown): value is MemberRole {
  return roles.includes(value);
}

function isHealth(value: unknown): value is MemberHealth {
  return healths.includes(value);
}
