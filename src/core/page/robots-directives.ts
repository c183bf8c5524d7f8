/** Name under which pages address this crawler alone, unless its operator has given it another one. */
export const defaultBotName = "orbweaver";

/** What a page says to crawlers; directives only ever add up. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export const noDirectives: RobotsDirectives = Object.freeze({ noindex: false, nofollow: false });

/** Its setting may be `none`, which is then no directive. */
const imagePreview = /max-image-preview\s*:\s*none/g;

/** The directives of a list such as `noindex, nofollow`; unknown ones are skipped. */
export function parseDirectives(content: string): RobotsDirectives {
  const words = content
    .toLowerCase()
    .replace(imagePreview, "")
    .split(/[\s,;]+/);
  const none = words.includes("none");
  return {
    noindex: none || words.includes("noindex"),
    nofollow: none || words.includes("nofollow"),
  };
}

export function mergeDirectives(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  return { noindex: a.noindex || b.noindex, nofollow: a.nofollow || b.nofollow };
}
