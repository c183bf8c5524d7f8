import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrivateHost, isPublicAddress } from "../../../src/core/net/address-policy.ts";
import type { HostName } from "../../../src/core/units.ts";

const publicAddresses = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2002:808:808::1",
  "64:ff9b::8.8.8.8",
  "::ffff:8.8.8.8",
];

const refusedAddresses = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.0",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::ffff:0:127.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "64:ff9b:1::8.8.8.8",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "2002:a00:1::1",
  "2002:c0a8:101::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "4000::1",
];

const noAddresses = [
  "",
  "localhost",
  "example.com",
  "1.1.1",
  "1.1.1.1.1",
  "010.8.8.8",
  "0x8.8.8.8",
  "134744072",
  "8.8.8.8:80",
  "[2606:4700:4700::1111]",
  "8.8.8.256",
];

describe("the address policy", () => {
  it.each(publicAddresses)("lets %s be reached", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(refusedAddresses)("refuses %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(noAddresses)("refuses what is no address: %j", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it.each([
    ["127.0.0.1", true],
    ["10.1.2.3", true],
    ["[::1]", true],
    ["[::ffff:7f00:1]", true],
    ["localhost", true],
    ["docs.localhost", true],
    ["8.8.8.8", false],
    ["[2606:4700:4700::1111]", false],
    ["example.com", false],
    ["notlocalhost", false],
    ["10.example", false],
  ])("knows of the host %s before it is looked up whether it is private: %s", (host, isPrivate) => {
    expect(isPrivateHost(host as HostName)).toBe(isPrivate);
  });

  it("judges an IPv6 address that embeds an IPv4 one as it judges that one", () => {
    const octet = fc.nat({ max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const high = (a * 256 + b).toString(16);
        const low = (c * 256 + d).toString(16);
        const verdicts = [
          isPublicAddress(`::ffff:${plain}`),
          isPublicAddress(`64:ff9b::${high}:${low}`),
          isPublicAddress(`2002:${high}:${low}::1`),
        ];
        const expected = isPublicAddress(plain);
        expect(verdicts).toEqual([expected, expected, expected]);
      }),
    );
  });
});
