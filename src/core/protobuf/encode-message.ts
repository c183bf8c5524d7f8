import { MessageWriter } from "./message-writer.ts";

/** What the generated code of a message writes it with. */
interface MessageEncoder<Message> {
  encode(
    message: Partial<Message>,
    writer: MessageWriter,
    options: { readonly lengthDelimited: false },
  ): void;
}

const writer = new MessageWriter();

/** The message as bytes: in place of the function of this name that the runtime of the generated code has. */
export function encodeMessage<Message>(
  message: Partial<Message>,
  encoder: MessageEncoder<Message>,
): Uint8Array<ArrayBuffer> {
  writer.begin();
  encoder.encode(message, writer, { lengthDelimited: false });
  return writer.finish();
}
