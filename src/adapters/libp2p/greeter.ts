import type { Connection, Stream } from "@libp2p/interface";
import type { Millis } from "../../core/units.ts";
import type { Frame } from "./frame-codec.ts";
import { FrameStream, type FrameListener } from "./frame-stream.ts";
import { CollectingBudget } from "./memory-budget.ts";
import { differenceBetween, encodeHello, helloBytesMax, readHello, type Hello } from "./hello.ts";

/** How a greeting can end. */
export type Greeting =
  | { readonly kind: "greeted"; readonly hello: Hello }
  /** With `isKeptOut`, the peer is not to come back at once. */
  | { readonly kind: "refused"; readonly detail: string; readonly isKeptOut: boolean }
  | { readonly kind: "unreachable"; readonly detail: string };

/** Says why a peer with this hello cannot be had over this connection, though it belongs to the swarm. */
export type Judge = (connection: Connection, hello: Hello) => Promise<string | undefined>;

/** Open to everybody, and the same in all versions, so that those who differ can say in what. */
export const helloProtocol = "/orbweaver/hello";

/** A round trip on a slow line, at a peer whose processor is busy. */
export const greetingTimeoutMs = 5_000;

/** Time that a refused peer has to read why. */
const refusalLingerMs = 500;

/** A frame's length and type. */
const frameBytesMax = helloBytesMax + 8;

/**
 * Exchanges hellos over a connection. The member that has dialled speaks first.
 */
export class Greeter {
  readonly own: Hello;
  readonly #judge: Judge;

  constructor(own: Hello, judge: Judge) {
    this.own = own;
    this.#judge = judge;
  }

  /** Greets the peer at the other end, which this member has dialled. */
  async greet(connection: Connection): Promise<Greeting> {
    const greeting = await this.exchange(connection);
    if (greeting.kind !== "greeted") return greeting;
    const difference = differenceBetween(this.own, greeting.hello);
    if (difference !== undefined) return refused(difference, true);
    const { refusal } = greeting.hello;
    if (refusal !== undefined) return refused(`it refuses this member: ${refusal}`, true);
    const objection = await this.#judge(connection, greeting.hello);
    return objection === undefined ? greeting : refused(objection, false);
  }

  /** Asks the peer who it is, without judging. */
  async exchange(connection: Connection, withinMs = greetingTimeoutMs): Promise<Greeting> {
    let stream: Stream;
    try {
      const signal = AbortSignal.timeout(withinMs);
      stream = await connection.newStream(helloProtocol, { signal });
    } catch (error) {
      if (error instanceof Error && error.name === "UnsupportedProtocolError") {
        return refused("it does not speak this protocol", true);
      }
      return { kind: "unreachable", detail: "the connection broke before the greeting" };
    }
    const exchange = new HelloStream(stream, withinMs);
    exchange.send(this.own);
    const hello = await exchange.received;
    exchange.finish();
    if (hello !== undefined) return { kind: "greeted", hello };
    return { kind: "unreachable", detail: "it did not answer the greeting" };
  }

  /** Answers a greeting, in a stream that the other end has opened. */
  async answer(stream: Stream, connection: Connection): Promise<Greeting> {
    const exchange = new HelloStream(stream, greetingTimeoutMs);
    const hello = await exchange.received;
    if (hello === undefined) {
      exchange.abort();
      // One that has not come is no offence: perhaps it was this process that stood still.
      return exchange.hasCome ? refused("its greeting was none", true) : refused(noGreeting, false);
    }
    const difference = differenceBetween(this.own, hello);
    const refusal = difference ?? (await this.#judge(connection, hello));
    // Of a difference the other end tells itself, from its own point of view.
    const isToldHere = difference === undefined && refusal !== undefined;
    exchange.send(isToldHere ? { ...this.own, refusal } : this.own);
    exchange.finish();
    if (refusal === undefined) return { kind: "greeted", hello };
    await exchange.lingered;
    return refused(refusal, difference !== undefined);
  }
}

/** What is told of a peer from which no greeting comes. */
export const noGreeting = "it did not greet";

/** A refusal; with `isKeptOut`, the peer is not to come back at once. */
export function refused(detail: string, isKeptOut: boolean): Greeting {
  return { kind: "refused", detail, isKeptOut };
}

/** One hello in each direction. */
class HelloStream implements FrameListener {
  /** The other end's hello; undefined when none comes. */
  readonly received: Promise<Hello | undefined>;
  readonly #received = Promise.withResolvers<Hello | undefined>();
  readonly #closed = Promise.withResolvers<undefined>();
  readonly #frames: FrameStream;
  readonly #timer: NodeJS.Timeout;
  #hasCome = false;

  constructor(stream: Stream, withinMs: Millis) {
    this.received = this.#received.promise;
    this.#timer = setTimeout(() => this.#received.resolve(undefined), withinMs);
    // A hello is too small for a budget of its own kind.
    this.#frames = new FrameStream(
      stream,
      this,
      new CollectingBudget(frameBytesMax),
      frameBytesMax,
    );
  }

  /** Whether something has come, though it may be no hello. */
  get hasCome(): boolean {
    return this.#hasCome;
  }

  /** Resolves when the other end has closed the stream, or has had time to. */
  get lingered(): Promise<undefined> {
    const timer = setTimeout(() => this.#closed.resolve(undefined), refusalLingerMs);
    return this.#closed.promise.finally(() => clearTimeout(timer));
  }

  send(hello: Hello): void {
    this.#frames.send({ type: "notice", payload: encodeHello(hello) });
  }

  finish(): void {
    this.#frames.finish();
  }

  abort(): void {
    this.#frames.abort("no greeting");
  }

  onFrame(frame: Frame): void {
    this.#hasCome = true;
    clearTimeout(this.#timer);
    this.#received.resolve(frame.type === "notice" ? readHello(frame.payload) : undefined);
  }

  onClosed(): void {
    clearTimeout(this.#timer);
    this.#received.resolve(undefined);
    this.#closed.resolve(undefined);
  }

  onMalformed(): void {
    this.#hasCome = true;
    this.#received.resolve(undefined);
  }
}
