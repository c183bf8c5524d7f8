import type { MemberId } from "../units.ts";
import type { Member } from "./member.ts";
import type { MemberChange } from "./member-table.ts";
import { membersPerMessageMax } from "./membership-message.ts";
import type { MembershipAction, MembershipMessage } from "./membership-message.ts";

/** What is decided in the course of one call, in order. */
export class ActionList {
  #actions: MembershipAction[] = [];

  send(to: MemberId, message: MembershipMessage): void {
    this.#actions.push({ kind: "send", to, message });
  }

  /** In parts that each fit a datagram and are of use alone; unless it is a reply, the last one asks for one. */
  sendTable(to: MemberId, members: readonly Member[], reply: boolean): void {
    for (let at = 0; at < members.length; at += membersPerMessageMax) {
      const end = at + membersPerMessageMax;
      const asks = !reply && end >= members.length;
      this.send(to, { kind: "push-pull", members: members.slice(at, end), reply: !asks });
    }
  }

  broadcast(claim: Member): void {
    this.#actions.push({ kind: "broadcast", claim });
  }

  changed({ member, before }: MemberChange): void {
    this.#actions.push({ kind: "changed", member, before });
  }

  buried(): void {
    this.#actions.push({ kind: "buried" });
  }

  laterRun(claim: Member): void {
    this.#actions.push({ kind: "later-run", claim });
  }

  /** Hands the actions over; the list is empty afterwards. */
  take(): MembershipAction[] {
    const actions = this.#actions;
    this.#actions = [];
    return actions;
  }
}
