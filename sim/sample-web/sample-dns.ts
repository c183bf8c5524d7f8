import { createSocket, type Socket } from "node:dgram";

import { AUTHORITATIVE_ANSWER, decode, encode, type Packet } from "dns-packet";

import type { SampleWeb } from "./sample-web.ts";

export interface SampleDnsOptions {
  /** Address of this machine. @default "127.0.0.1" */
  readonly address: string;
  /** @default 0 (any free one) */
  readonly port: number;
  /** @default 300 */
  readonly ttlSeconds: number;
}

export const defaultSampleDnsOptions: SampleDnsOptions = Object.freeze({
  address: "127.0.0.1",
  port: 0,
  ttlSeconds: 300,
});

const nameNotFound = 3;

/**
 * Name server of a {@link SampleWeb}: A records for its hosts, no records of other types, and no such
 * name for everything else. What is no question is not answered.
 */
export class SampleDns {
  readonly port: number;
  readonly #socket: Socket;
  readonly #web: SampleWeb;
  readonly #ttlSeconds: number;
  #questions = 0;
  #isOpen = true;

  private constructor(socket: Socket, web: SampleWeb, ttlSeconds: number) {
    this.#socket = socket;
    this.#web = web;
    this.#ttlSeconds = ttlSeconds;
    this.port = socket.address().port;
    // A datagram that cannot be sent is lost, as datagrams are.
    socket.on("error", () => undefined);
    socket.on("message", (message, from) => {
      const answer = this.#answer(message);
      if (answer !== undefined) socket.send(answer, from.port, from.address);
    });
  }

  static async start(web: SampleWeb, options: Partial<SampleDnsOptions> = {}): Promise<SampleDns> {
    const { address, port, ttlSeconds } = { ...defaultSampleDnsOptions, ...options };
    const socket = createSocket("udp4");
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(port, address, () => {
        socket.off("error", reject);
        resolve();
      });
    });
    return new SampleDns(socket, web, ttlSeconds);
  }

  /** Questions answered so far. */
  get questions(): number {
    return this.#questions;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #answer(message: Buffer): Buffer | undefined {
    try {
      return this.#answerTo(decode(message));
    } catch {
      return undefined;
    }
  }

  #answerTo(query: Packet): Buffer | undefined {
    const question = query.questions?.[0];
    if (query.type !== "query" || question === undefined) return undefined;
    this.#questions += 1;
    const host = this.#web.names.findHost(question.name.toLowerCase());
    const data = host === undefined ? undefined : this.#web.names.addressOf(host);
    const hasRecord = data !== undefined && question.type === "A";
    return encode({
      type: "response",
      id: query.id ?? 0,
      flags: AUTHORITATIVE_ANSWER | (data === undefined ? nameNotFound : 0),
      questions: [question],
      answers: hasRecord ? [{ type: "A", name: question.name, ttl: this.#ttlSeconds, data }] : [],
    });
  }
}
