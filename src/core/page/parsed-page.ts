import type { ExclusionReason } from "../jobs/exclusion.ts";

/** The first redirect-like instruction of a document: `<meta http-equiv=refresh>` or a `Refresh` header. */
export interface MetaRefresh {
  readonly seconds: number;
  /** Absolute URL; absent where the document refreshes itself. */
  readonly url?: string;
}

/** What a document says, before any job's rules are applied. */
export interface ExtractedPage {
  /** Canonical http(s) URLs in order of appearance, each once; without those of rel=nofollow links. */
  readonly links: readonly string[];
  /** Canonical URLs that are linked with rel=nofollow (or ugc, sponsored) only. */
  readonly nofollowLinks: readonly string[];
  /** References for which there was no room, counted as often as they stand there; absent where there are none. */
  readonly linksLeftOut?: number;
  /** Base URL of the document. */
  readonly base: string;
  /** `<meta name=robots content=nofollow>`: none of the links is to be followed. */
  readonly nofollow: boolean;
  /** `<meta name=robots content=noindex>`. */
  readonly noindex: boolean;
  /** Target of `<link rel=canonical>`, canonicalised. */
  readonly canonical?: string;
  readonly refresh?: MetaRefresh;
  /** WHATWG label of the encoding the document was decoded with, for instance `windows-1252`. */
  readonly charset: string;
  /** Where the encoding came from. */
  readonly charsetSource: "bom" | "header" | "meta" | "default";
  /** Text of the first `<title>`, white space collapsed, at most 1,024 characters. */
  readonly title?: string;
  /** BCP 47 language of the document's root element. */
  readonly lang?: string;
}

/**
 * Links of a page that passed its job's rules, packed so that they cross threads as two transfers and cost nothing
 * until one of them turns out to be new.
 */
export interface PackedLinks {
  /** The URLs, one after another; all characters are ASCII. */
  readonly text: string;
  /** End of each URL in `text`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** 128-bit fingerprint of each URL's dedupe key: four words a link. */
  readonly fingerprints: Uint32Array<ArrayBuffer>;
}

/** Links that a rule kept out, by reason. */
export interface ExcludedLinks {
  readonly reason: ExclusionReason;
  readonly links: PackedLinks;
}

/** What a response says once its job's rules are applied: all that is decided about it without hashing its bytes. */
export interface PageContent {
  /** Whether the body was parsed as HTML. */
  readonly html: boolean;
  /** In-scope links, each once, without the page's own URL. */
  readonly links: PackedLinks;
  /** Links that the job's rules keep out, each once. */
  readonly excluded: readonly ExcludedLinks[];
  /** See {@link ExtractedPage.linksLeftOut}. */
  readonly linksLeftOut?: number;
  readonly title?: string;
  readonly charset?: string;
  readonly noindex: boolean;
}

/** Packs nothing. */
export const noLinks: PackedLinks = Object.freeze({
  text: "",
  ends: new Uint32Array(0),
  fingerprints: new Uint32Array(0),
});
