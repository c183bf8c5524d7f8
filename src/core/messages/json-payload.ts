import { payloadBytesMax } from "./read-payload.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Plain data as a payload, for messages that are rare: questions of a user. */
export function encodeJson(data: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(data));
}

/** The data in a {@link encodeJson}; nothing when it is none. It is still to be read field by field. */
export function decodeJson(payload: Uint8Array): unknown {
  if (payload.length > payloadBytesMax) return undefined;
  try {
    return JSON.parse(decoder.decode(payload));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
