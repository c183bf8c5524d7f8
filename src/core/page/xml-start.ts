/**
 * What matches a text, each character a byte of it or not, that begins as XML with an element of this kind: behind white space,
 * declarations, a style sheet's instruction, comments, and a document type, which may hold declarations in brackets.
 *
 * @param element source of an expression for what follows the `<`
 */
export function xmlStart(element: string): RegExp {
  const before =
    /^(?:\xEF\xBB\xBF)?(?:[\t\n\r ]|<\?[^>]*>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\][^>]*)?>)*</;
  return new RegExp(before.source + element);
}
