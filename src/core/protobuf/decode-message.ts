import { MessageReader } from "./message-reader.ts";

/** What the generated code of a message reads it with. */
interface MessageDecoder<Message, Options> {
  decode(reader: MessageReader, length: undefined, options: Options | undefined): Message;
}

/** A message of its bytes: in place of the function of this name that the runtime of the generated code has. */
export function decodeMessage<Message, Options>(
  bytes: Uint8Array,
  decoder: MessageDecoder<Message, Options>,
  options?: Options,
): Message {
  return decoder.decode(new MessageReader(bytes), undefined, options);
}
