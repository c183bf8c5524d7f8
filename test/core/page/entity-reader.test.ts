import { Tokenizer } from "htmlparser2";
import { parseFragment } from "parse5";
import { expect, it, vi } from "vitest";
import { EntityReader } from "../../../src/core/page/entity-reader.ts";

/** What the HTML Standard's parser makes of it in single quotes. */
function parsed(value: string): string | undefined {
  const [node] = parseFragment(`<a b='${value}'>`).childNodes;
  return node && "attrs" in node ? node.attrs[0]?.value : undefined;
}

it.each(['&lt;"&amp;"x&gt;', '"&copy"=1&copy=2', '&quot;"&#34', 'a"b&c', '"""&notin"', "&lt"])(
  "reads the references of an attribute beside quotes as parse5 does: %j",
  (value) => {
    expect(new EntityReader().attribute(value)).toBe(parsed(value));
  },
);

it("reads nothing between the quotes of a value that is full of them", () => {
  const write = vi.spyOn(Tokenizer.prototype, "write");
  const quotes = '"'.repeat(10_000);
  expect(new EntityReader().attribute(`&lt;${quotes}`)).toBe(`<${quotes}`);
  const characters = write.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  write.mockRestore();
  expect(characters).toBeLessThan(100);
});
