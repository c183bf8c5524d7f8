import { Libp2pOverlay } from "../../../src/adapters/libp2p/libp2p-overlay.ts";
import type { Libp2pOverlayOptions } from "../../../src/adapters/libp2p/overlay-options.ts";
import { windowBytes, windowRequests } from "../../../src/adapters/libp2p/incoming-stream.ts";
import { newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { LogFields } from "../../../src/ports/logger.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import type { OverlayPlace } from "../../contracts/overlay.ts";
import { until } from "../../support/until.ts";

/** A line of a member's log. */
export interface LogLine extends LogFields {
  readonly event: string;
}

/** A member on the loopback interface, what it logs, and what it counts. */
export interface LoopbackMember {
  readonly overlay: Libp2pOverlay;
  readonly lines: LogLine[];
  readonly counts: Map<string, number>;
}

const clock: Clock = {
  nowMs: () => Date.now(),
  wallMs: () => Date.now(),
  sleep: () => Promise.reject(new Error("nothing sleeps here")),
  call: () => {
    throw new Error("nothing waits here");
  },
};

/** Members of libp2p that listen at 127.0.0.1. */
export class LoopbackPlace implements OverlayPlace {
  readonly windowRequests = windowRequests;
  readonly windowBytes = windowBytes;
  readonly #members: LoopbackMember[] = [];

  async member(options: Partial<Libp2pOverlayOptions> = {}): Promise<LoopbackMember> {
    const lines: LogLine[] = [];
    const counts = new Map<string, number>();
    const log = (event: string, fields: LogFields = {}): void => {
      lines.push({ event, ...fields });
    };
    const overlay = new Libp2pOverlay(
      {
        logger: { debug: log, info: log, warn: log, error: log },
        metrics: {
          ...noMetrics,
          count: (name, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by),
        },
        clock,
      },
      {
        key: await newPeerKey(),
        swarm: "test",
        fingerprint: "0123abcd",
        listen: ["/ip4/127.0.0.1/tcp/0"],
        localDiscovery: false,
        ...options,
      },
    );
    const member = { overlay, lines, counts };
    this.#members.push(member);
    return member;
  }

  async overlay(swarm = "test"): Promise<Libp2pOverlay> {
    const { overlay } = await this.member({ swarm });
    return overlay;
  }

  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(what, condition, 30_000);
  }

  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      await Promise.all(this.#members.map(({ overlay }) => overlay.stop()));
    }
  }
}
