const unfollowedRelations: ReadonlySet<string> = new Set(["nofollow", "sponsored", "ugc"]);
/** HTML Standard, section 4.6.7: `previous` is treated like `prev`. */
const pageRelations: ReadonlySet<string> = new Set(["canonical", "next", "prev", "previous"]);

/** White space, and commas: Google documents both, and what is meant is plain. */
const betweenRelations = /[\t\n\f\r ,]+/;

/** The words of a `rel` in lower case. */
export function parseRelations(rel: string | undefined): readonly string[] {
  return rel?.toLowerCase().split(betweenRelations) ?? [];
}

/** Whether a link of this kind may be followed. */
export function isFollowed(relations: readonly string[]): boolean {
  return !relations.some((relation) => unfollowedRelations.has(relation));
}

/**
 * Whether what a `link` element or a `Link` field names is another page, or this one elsewhere or in another language, and not
 * something that this page is made of.
 */
export function leadsToPage(relations: readonly string[], hasHreflang: boolean): boolean {
  if (hasHreflang && relations.includes("alternate")) return true;
  return relations.some((relation) => pageRelations.has(relation));
}
