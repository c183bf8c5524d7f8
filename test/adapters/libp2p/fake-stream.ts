import { StreamMessageEvent, type Stream } from "@libp2p/interface";
import { encodeFrame, type Frame } from "../../../src/adapters/libp2p/frame-codec.ts";

/** A stream of libp2p whose other end says what a test has it say, and reads or does not. */
export class FakeStream extends EventTarget {
  status = "open";
  writeStatus = "writable";
  writableNeedsDrain = false;
  writeBufferLength = 0;
  sentBytes = 0;
  /** Whether what is sent stays in the stream. */
  takesUp = false;

  /** As who uses it knows it. */
  get asStream(): Stream {
    return this as unknown as Stream;
  }

  send(data: Uint8Array): boolean {
    this.sentBytes += data.length;
    this.writableNeedsDrain = this.takesUp;
    return true;
  }

  abort(): void {
    this.status = "aborted";
  }

  /** The other end says so. */
  hear(frame: Frame): void {
    this.dispatchEvent(new StreamMessageEvent(encodeFrame(frame)));
  }

  /** The other end has read all of it. */
  readOn(): void {
    this.writableNeedsDrain = false;
    this.dispatchEvent(new Event("drain"));
  }
}
