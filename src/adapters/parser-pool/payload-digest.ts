import { hash } from "node:crypto";
import { payloadDigestText } from "../../core/archive/payload-digest.ts";

/** SHA-1 of a payload in the form of the field's tools. */
export function payloadDigest(payload: Uint8Array): string {
  return payloadDigestText(hash("sha1", payload, "buffer"));
}
