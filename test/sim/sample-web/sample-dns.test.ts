import { createSocket } from "node:dgram";
import { once } from "node:events";

import { decode, encode, type DecodedPacket, type RecordType } from "dns-packet";
import { afterEach, describe, expect, test } from "vitest";

import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { SampleDns } from "../../../sim/sample-web/sample-dns.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";

const web = new SampleWeb({ ...plainSampleWebOptions, hostsPerAddress: 2 }, 80);
let dns: SampleDns | undefined;
afterEach(() => dns?.stop());

const noError = 0;
const nameNotFound = 3;

/** The response code is the low four bits of the flags (RFC 1035, 4.1.1). */
function rcodeOf(flags: number | undefined): number | undefined {
  return flags === undefined ? undefined : flags & 15;
}

async function ask(name: string, type: RecordType, before: Buffer[] = []): Promise<DecodedPacket> {
  dns = await SampleDns.start(web, { ttlSeconds: 60 });
  const socket = createSocket("udp4");
  const answered = once(socket, "message") as Promise<[Buffer]>;
  for (const message of before) socket.send(message, dns.port, "127.0.0.1");
  const query = encode({ type: "query", id: 77, questions: [{ type, name }] });
  socket.send(query, dns.port, "127.0.0.1");
  const [message] = await answered;
  socket.close();
  return decode(message);
}

describe("the sample name server", () => {
  test("gives the address of a host of the web, in any case of letters", async () => {
    const { id, flags, answers } = await ask("Docs.Site-0003.example", "A");
    expect([id, rcodeOf(flags)]).toEqual([77, noError]);
    expect(answers).toMatchObject([
      { type: "A", name: "Docs.Site-0003.example", ttl: 60, data: "127.1.0.4" },
    ]);
  });

  test("has no records of other types", async () => {
    const { flags, answers } = await ask("www.site-0000.example", "AAAA");
    expect([rcodeOf(flags), answers]).toEqual([noError, []]);
  });

  test.each(["www.site-0999.example", "site-0000.example", "example.org"])(
    "knows no %s",
    async (name) => {
      const { flags, answers } = await ask(name, "A");
      expect([rcodeOf(flags), answers]).toEqual([nameNotFound, []]);
    },
  );

  test("ignores what is no question", async () => {
    const answer = encode({ type: "response", id: 5 });
    const { id } = await ask("www.site-0000.example", "A", [Buffer.from("x"), answer]);
    expect(id).toBe(77);
    expect(dns?.questions).toBe(1);
  });
});
