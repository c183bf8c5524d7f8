import {
  decodeCallAddressesReply,
  decodeHandOverAddressesReply,
  decodeLendAddressesReply,
  encodeCallAddresses,
  encodeHandOverAddresses,
  encodeLendAddresses,
  type CallAddresses,
  type CallAddressesReply,
  type LendAddresses,
} from "../../../core/messages/address-lending.ts";
import { messageKinds } from "../../../core/messages/message-kinds.ts";
import type { LoanAnswer, LoanState } from "../../../core/politeness/address-loan.ts";
import type { IpAddress, MemberId, Millis } from "../../../core/units.ts";
import type { Overlay } from "../../../ports/overlay.ts";

/** These are small and answered at once; a question is asked again rather than waited for. */
const timeoutMs: Millis = 2_000;

type LendingKind = "lendAddresses" | "callAddresses" | "handOverAddresses";

/** What members say to one another about addresses, as typed calls; nothing is returned where no answer came. */
export class AddressCalls {
  readonly #overlay: Overlay;
  readonly #signal: AbortSignal;

  constructor(overlay: Overlay, signal: AbortSignal) {
    this.#overlay = overlay;
    this.#signal = signal;
  }

  /** Answers to the items that ask, in their order. */
  async lend(to: MemberId, message: LendAddresses): Promise<LoanAnswer[] | undefined> {
    const reply = await this.#ask(to, "lendAddresses", encodeLendAddresses(message));
    const asked = message.items.filter(({ kind }) => kind === "ask").length;
    return reply && decodeLendAddressesReply(reply, asked);
  }

  async call(to: MemberId, message: CallAddresses): Promise<CallAddressesReply | undefined> {
    const reply = await this.#ask(to, "callAddresses", encodeCallAddresses(message));
    return reply && decodeCallAddressesReply(reply, message.recalled.length);
  }

  async handOver(to: MemberId, addresses: readonly IpAddress[]): Promise<LoanState[] | undefined> {
    const reply = await this.#ask(to, "handOverAddresses", encodeHandOverAddresses(addresses));
    return reply && decodeHandOverAddressesReply(reply, addresses.length);
  }

  async #ask(
    to: MemberId,
    kind: LendingKind,
    payload: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const request = { to, class: "control" as const, kind: messageKinds[kind], payload, timeoutMs };
    const outcome = await this.#overlay.request(request, this.#signal);
    return outcome.kind === "reply" ? outcome.payload : undefined;
  }
}
