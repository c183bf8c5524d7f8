import type { MessageStream } from "@libp2p/interface";
import type { NewEncrypter } from "./each-secured.ts";

/**
 * An encrypter whose packets reach the connection in one piece. Noise hands over length and content of a packet in two, and
 * a TCP connection writes each of them at once: two system calls, two segments, and two events at the other end.
 */
export function wholePackets(newEncrypter: NewEncrypter): NewEncrypter {
  return (components) => {
    const inner = newEncrypter(components);
    return {
      protocol: inner.protocol,
      secureOutbound: (stream, options) => inner.secureOutbound(sendingWhole(stream), options),
      secureInbound: (stream, options) => inner.secureInbound(sendingWhole(stream), options),
    };
  };
}

function sendingWhole<S extends MessageStream>(stream: S): S {
  const send = stream.send.bind(stream);
  stream.send = (data) => send(data instanceof Uint8Array ? data : data.subarray());
  return stream;
}
