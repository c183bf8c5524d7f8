import { createSocket } from "node:dgram";
import { once } from "node:events";
import { AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import type { Answer, Packet } from "dns-packet";
import type { ServedName } from "../../contracts/resolver.ts";

/** The name has another one, which has the addresses: the answer has both records. */
interface AliasName {
  readonly kind: "alias";
  readonly of: string;
  readonly served: AddressesName;
}

type AddressesName = Extract<ServedName, { kind: "addresses" }>;

/** The name is one of a zone, which has this server. */
interface ZoneName {
  readonly kind: "zone";
  readonly server: string;
}

/** What a name is answered with; `malformed` is an answer that ends inside its record. */
export type DnsName = ServedName | AliasName | ZoneName | { readonly kind: "malformed" };

/** `A example.test`, as it was asked. */
export type Asked = string;

/** A DNS server on loopback that knows the given names and counts what it is asked. */
export class DnsServer {
  readonly asked: Asked[] = [];
  readonly #socket = createSocket("udp4");
  readonly #names: Map<string, DnsName>;

  constructor(names: Readonly<Record<string, DnsName>>) {
    this.#names = new Map(Object.entries(names));
    this.#socket.on("message", (message, from) => {
      const answer = this.#answer(decode(message));
      if (answer !== undefined) this.#socket.send(answer, from.port, from.address);
    });
  }

  /** Address for the resolver's `server` option. */
  get server(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async start(): Promise<void> {
    this.#socket.bind(0, "127.0.0.1");
    await once(this.#socket, "listening");
  }

  async stop(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }

  set(name: string, served: DnsName): void {
    this.#names.set(name, served);
  }

  questions(name: string): number {
    return this.asked.filter((question) => question.endsWith(` ${name}`)).length;
  }

  #answer({ id, questions = [] }: Packet): Buffer | undefined {
    const [question] = questions;
    if (question === undefined) return undefined;
    const name = question.name.toLowerCase();
    this.asked.push(`${question.type} ${name}`);
    const served = this.#names.get(name) ?? { kind: "not-found" };
    const reply: Packet = { type: "response", questions, flags: AUTHORITATIVE_ANSWER };
    if (id !== undefined) reply.id = id;
    switch (served.kind) {
      case "silence":
        return undefined;
      case "not-found":
        return encode({ ...reply, flags: AUTHORITATIVE_ANSWER | nameErrorCode });
      case "server-failure":
        return encode({ ...reply, flags: AUTHORITATIVE_ANSWER | serverFailureCode });
      case "addresses":
        return encode({ ...reply, answers: recordsOf(served, name, question.type) });
      case "alias": {
        const alias: Answer = { type: "CNAME", name, data: served.of };
        const records = recordsOf(served.served, served.of, question.type);
        return encode({ ...reply, answers: [alias, ...records] });
      }
      case "zone":
        return encode({ ...reply, answers: [{ type: "NS", name, data: served.server }] });
      case "malformed": {
        const record: Answer = { type: "A", name, data: "192.0.2.1" };
        return encode({ ...reply, answers: [record] }).subarray(0, -1);
      }
    }
  }
}

/** RFC 1035, section 4.1.1. */
const serverFailureCode = 2;
const nameErrorCode = 3;

function recordsOf(served: AddressesName, name: string, wanted: string): Answer[] {
  const answers: Answer[] = [];
  for (const data of served.addresses) {
    const type = data.includes(":") ? "AAAA" : "A";
    if (type === wanted) answers.push({ type, name, data, ttl: served.ttlS });
  }
  return answers;
}
