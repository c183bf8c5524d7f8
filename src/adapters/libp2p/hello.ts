/** What members tell each other before anything else. */
export interface Hello {
  /** Of the protocol between members. */
  readonly version: number;
  readonly swarm: string;
  /** Of the cluster options. */
  readonly fingerprint: string;
  /** Another one for each start of a process, so that two processes with one key are told apart. */
  readonly instance: string;
  /** Why the sender will not have the receiver. */
  readonly refusal?: string;
}

/** Version of frames and of hello; what the messages inside look like is part of the options' fingerprint. */
export const protocolVersion = 1;

/** Room for names of 64 characters, a fingerprint, and a line of text. */
export const helloBytesMax = 1_024;

const refusalCharactersMax = 256;
const swarmName = /^[a-z0-9-]{1,64}$/;
const hexadecimal = /^[0-9a-f]{1,128}$/;
const visible = /^[\x20-\x7e]*$/;

export function isSwarmName(text: string): boolean {
  return swarmName.test(text);
}

export function isFingerprint(text: string): boolean {
  return hexadecimal.test(text);
}

export function encodeHello(hello: Hello): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(hello));
}

/** A hello from outside, checked and bounded; undefined when it is none. */
export function readHello(payload: Uint8Array): Hello | undefined {
  if (payload.length > helloBytesMax) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
  if (typeof data !== "object" || data === null) return undefined;
  const { version, swarm, fingerprint, instance, refusal } = data as Record<string, unknown>;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 0) return undefined;
  if (typeof swarm !== "string" || !isSwarmName(swarm)) return undefined;
  if (typeof fingerprint !== "string" || !isFingerprint(fingerprint)) return undefined;
  if (typeof instance !== "string" || !hexadecimal.test(instance)) return undefined;
  const known = { version, swarm, fingerprint, instance };
  if (refusal === undefined) return known;
  if (typeof refusal !== "string" || !visible.test(refusal)) return undefined;
  return { ...known, refusal: refusal.slice(0, refusalCharactersMax) };
}

/** Why the two cannot be members of one swarm, in one line; undefined where they can. */
export function differenceBetween(own: Hello, theirs: Hello): string | undefined {
  if (own.version !== theirs.version) {
    return `it speaks version ${theirs.version} of the protocol, this member version ${own.version}`;
  }
  if (own.swarm !== theirs.swarm) {
    return `it belongs to the swarm "${theirs.swarm}", this member to "${own.swarm}"`;
  }
  if (own.fingerprint !== theirs.fingerprint) {
    const prints = `${theirs.fingerprint}, not ${own.fingerprint}`;
    return `its cluster options have the fingerprint ${prints}: its number of replicas or its release is another`;
  }
  return undefined;
}
