import { StreamState, YamuxStream } from "@chainsafe/libp2p-yamux/stream";
import type { Stream } from "@libp2p/interface";

/** Half of what a peer may send on a stream at first, 256 KiB, before it has to be told that there is room again. */
const toldBytes = 128 * 1_024;

/**
 * Makes a stream tell its peer of room for half a window at a time, as the Yamux of HashiCorp does. The one in JavaScript
 * tells of it behind every piece of data, and a small message costs two: each is encrypted, written and read on its own.
 */
export function frugalWindow(stream: Stream): void {
  if (!(stream instanceof YamuxStream)) return;
  let untoldBytes = 0;
  const tell = stream.sendWindowUpdate.bind(stream);
  stream.addEventListener("message", ({ data }) => {
    untoldBytes += data.byteLength;
  });
  stream.sendWindowUpdate = () => {
    // Until the stream is established, its updates say that it is accepted.
    if (stream.state === StreamState.Established && untoldBytes < toldBytes) return;
    untoldBytes = 0;
    tell();
  };
}
