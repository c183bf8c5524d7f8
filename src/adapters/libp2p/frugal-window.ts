import { StreamState, YamuxStream } from "@chainsafe/libp2p-yamux/stream";
import type { Stream } from "@libp2p/interface";

/** Half of what a peer may send on a stream at first, 256 KiB, before it has to be told that there is room again. */
const toldBytes = 128 * 1_024;

/**
 * Makes a stream tell its peer of room for half a window at a time, as the Yamux of HashiCorp does. The one in JavaScript
 * tells of it behind every piece of data, and a small message costs two: each is encrypted, written and read on its own. A
 * peer that sends single bytes would make this process do little else.
 */
export function frugalWindow(stream: Stream): void {
  if (!(stream instanceof YamuxStream)) return;
  let untoldBytes = 0;
  const take = stream.handleData.bind(stream);
  stream.handleData = (frame) => {
    untoldBytes += frame.header.length;
    take(frame);
  };
  const tell = stream.sendWindowUpdate.bind(stream);
  stream.sendWindowUpdate = () => {
    // The first one says that the stream is opened, or accepted.
    const isOpening = stream.state === StreamState.Init || stream.state === StreamState.SYNReceived;
    if (!isOpening && untoldBytes < toldBytes) return;
    // While the stream is paused, nothing is told.
    if (stream.state !== StreamState.Paused) untoldBytes = 0;
    tell();
  };
}
