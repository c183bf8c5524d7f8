import { describe, expect, it } from "vitest";
import {
  clusterFingerprint,
  protocolVersion,
} from "../../../../src/peer/swarm/members/cluster-fingerprint.ts";
import { defaultClusterOptions } from "../../../../src/peer/swarm/cluster-options.ts";

const { ring, replicas } = defaultClusterOptions;

describe("clusterFingerprint", () => {
  it("is the same for equal options in whatever order, and of a fixed form", () => {
    const { virtualNodes, hashSeed } = ring;
    const reordered = { ring: { hashSeed, virtualNodes }, replicas };
    expect(clusterFingerprint(reordered)).toBe(clusterFingerprint({ replicas, ring }));
    expect(clusterFingerprint(defaultClusterOptions)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("stays what it is, so that peers of two builds that agree can talk", () => {
    const cluster = { ring: { virtualNodes: 4_096, hashSeed: 0 }, replicas: 2 };
    expect(clusterFingerprint(cluster, 1)).toBe("8147c07ca4d9f9fa");
  });

  it("changes with each thing that all must agree on", () => {
    const variants = [
      clusterFingerprint(defaultClusterOptions),
      clusterFingerprint({ ring, replicas: replicas + 1 }),
      clusterFingerprint({ ring: { ...ring, virtualNodes: 64 }, replicas }),
      clusterFingerprint({ ring: { ...ring, hashSeed: 1 }, replicas }),
      clusterFingerprint(defaultClusterOptions, protocolVersion + 1),
    ];
    expect(new Set(variants).size).toBe(variants.length);
  });
});
