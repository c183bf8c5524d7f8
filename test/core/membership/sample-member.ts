import type { Member } from "../../../src/core/membership/member.ts";
import type { MemberId } from "../../../src/core/units.ts";

/** An active member in good health, but for what is said otherwise. */
export function sampleMember(change: Partial<Member> = {}): Member {
  return {
    id: "peer-1" as MemberId,
    addresses: ["/ip4/10.0.0.1/tcp/1"],
    weight: 1,
    version: "1.0.0",
    generation: 1_000,
    incarnation: 1,
    role: "active",
    health: "alive",
    ...change,
  };
}
