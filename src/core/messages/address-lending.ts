import { isMemberId } from "../membership/read-member.ts";
import type { LoanAnswer, LoanAsk, LoanState } from "../politeness/address-loan.ts";
import type { IpAddress, Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload, isCount, readAll } from "./read-payload.ts";

/** Addresses of one message, at most. */
export const lendingItemsMax = 4_096;

/** Longer than any slice, rest or wait that is ever told. */
const durationMaxMs = 600_000;

/** An IPv4 or IPv6 address as text: the longest is an IPv4-mapped one. To the steward it is a name, nothing more. */
const addressText = /^[0-9a-f.:]{2,45}$/;

/** What one member tells the steward of addresses: what it asks for, and what it gives back. */
export interface LendAddresses {
  /** Run of the sender. */
  readonly generation: number;
  /** Rises from message to message of a run. */
  readonly sequence: number;
  readonly items: readonly (LoanAsk & { readonly kind: "ask" | "return" })[];
}

/** What the steward of addresses tells a member. */
export interface CallAddresses {
  /** The run of the receiver that is meant. */
  readonly generation: number;
  /** To be given back. */
  readonly recalled: readonly IpAddress[];
  /** To be asked for now. */
  readonly turns: readonly IpAddress[];
}

export interface CallAddressesReply {
  readonly generation: number;
  /** What is given back, is so up to the questions before this one. */
  readonly sequence: number;
  /** For each recalled address the rest that it needs; nothing where it is given back later. */
  readonly restsMs: readonly (Millis | undefined)[];
}

export function encodeLendAddresses(message: LendAddresses): Uint8Array<ArrayBuffer> {
  const { generation, sequence } = message;
  const items = message.items.map(({ kind, address, heldMs, busy, restMs }) => ({
    address,
    returned: kind === "return",
    heldMs,
    busy,
    restMs,
  }));
  return wire.LendAddresses.encode({ generation, sequence, items });
}

export function decodeLendAddresses(payload: Uint8Array): LendAddresses | undefined {
  const limits = { items: lendingItemsMax };
  const message = decodePayload(payload, (bytes) => wire.LendAddresses.decode(bytes, { limits }));
  if (!message || !isCount(message.generation) || !isCount(message.sequence)) return undefined;
  const { generation, sequence } = message;
  const items = readAll(message.items, ({ address, returned, heldMs, busy, restMs }) => {
    if (!isAddress(address) || !isDuration(heldMs) || !isDuration(restMs)) return undefined;
    return {
      kind: returned ? ("return" as const) : ("ask" as const),
      address,
      heldMs,
      busy,
      restMs,
    };
  });
  return items && { generation, sequence, items };
}

export function encodeLendAddressesReply(answers: readonly LoanAnswer[]): Uint8Array<ArrayBuffer> {
  return wire.LendAddressesReply.encode({
    answers: answers.map((answer) =>
      answer.kind === "lent"
        ? { lent: true, forMs: answer.sliceMs, restMs: answer.restMs, shared: answer.shared }
        : { lent: false, forMs: answer.afterMs, restMs: 0, shared: false },
    ),
  });
}

/** @param count how many were asked for */
export function decodeLendAddressesReply(
  payload: Uint8Array,
  count: number,
): LoanAnswer[] | undefined {
  const limits = { answers: lendingItemsMax };
  const reply = decodePayload(payload, (bytes) =>
    wire.LendAddressesReply.decode(bytes, { limits }),
  );
  if (reply?.answers.length !== count) return undefined;
  return readAll(reply.answers, ({ lent, forMs, restMs, shared }): LoanAnswer | undefined => {
    if (!isDuration(forMs) || !isDuration(restMs)) return undefined;
    return lent
      ? { kind: "lent", sliceMs: forMs, restMs, shared }
      : { kind: "later", afterMs: forMs };
  });
}

export function encodeCallAddresses(message: CallAddresses): Uint8Array<ArrayBuffer> {
  const { generation, recalled, turns } = message;
  return wire.CallAddresses.encode({ generation, recalled: [...recalled], turns: [...turns] });
}

export function decodeCallAddresses(payload: Uint8Array): CallAddresses | undefined {
  const limits = { recalled: lendingItemsMax, turns: lendingItemsMax };
  const message = decodePayload(payload, (bytes) => wire.CallAddresses.decode(bytes, { limits }));
  if (!message || !isCount(message.generation)) return undefined;
  const recalled = readAll(message.recalled, readAddress);
  const turns = readAll(message.turns, readAddress);
  return recalled && turns && { generation: message.generation, recalled, turns };
}

export function encodeCallAddressesReply(reply: CallAddressesReply): Uint8Array<ArrayBuffer> {
  const { generation, sequence, restsMs } = reply;
  const answers = restsMs.map((restMs) => ({
    returned: restMs !== undefined,
    restMs: restMs ?? 0,
  }));
  return wire.CallAddressesReply.encode({ generation, sequence, answers });
}

/** @param count how many were recalled */
export function decodeCallAddressesReply(
  payload: Uint8Array,
  count: number,
): CallAddressesReply | undefined {
  const limits = { answers: lendingItemsMax };
  const reply = decodePayload(payload, (bytes) =>
    wire.CallAddressesReply.decode(bytes, { limits }),
  );
  if (reply?.answers.length !== count) return undefined;
  const { generation, sequence, answers } = reply;
  if (!isCount(generation) || !isCount(sequence)) return undefined;
  if (!answers.every(({ restMs }) => isDuration(restMs))) return undefined;
  const restsMs = answers.map(({ returned, restMs }) => (returned ? restMs : undefined));
  return { generation, sequence, restsMs };
}

export function encodeHandOverAddresses(addresses: readonly IpAddress[]): Uint8Array<ArrayBuffer> {
  return wire.HandOverAddresses.encode({ addresses: [...addresses] });
}

export function decodeHandOverAddresses(payload: Uint8Array): IpAddress[] | undefined {
  const limits = { addresses: lendingItemsMax };
  const message = decodePayload(payload, (bytes) =>
    wire.HandOverAddresses.decode(bytes, { limits }),
  );
  return message && readAll(message.addresses, readAddress);
}

export function encodeHandOverAddressesReply(
  states: readonly LoanState[],
): Uint8Array<ArrayBuffer> {
  return wire.HandOverAddressesReply.encode({
    states: states.map(({ holder, ...state }) => ({ ...state, ...(holder && { holder }) })),
  });
}

/** @param count how many were asked for */
export function decodeHandOverAddressesReply(
  payload: Uint8Array,
  count: number,
): LoanState[] | undefined {
  const limits = { states: lendingItemsMax };
  const reply = decodePayload(payload, (bytes) =>
    wire.HandOverAddressesReply.decode(bytes, { limits }),
  );
  return reply?.states.length === count ? readAll(reply.states, readState) : undefined;
}

function readState(state: wire.LoanState): LoanState | undefined {
  const { holder, sequence, heldMs, restMs, unsureMs } = state;
  if (!isCount(sequence) || ![heldMs, restMs, unsureMs].every(isDuration)) return undefined;
  const rest = { sequence, heldMs, restMs, unsureMs };
  if (holder === undefined) return rest;
  const { member, generation } = holder;
  if (!isMemberId(member) || !isCount(generation)) return undefined;
  return { holder: { member, generation }, ...rest };
}

function readAddress(text: string): IpAddress | undefined {
  return isAddress(text) ? text : undefined;
}

function isAddress(text: string): text is IpAddress {
  return addressText.test(text);
}

function isDuration(value: Millis): boolean {
  return value >= 0 && value <= durationMaxMs;
}
