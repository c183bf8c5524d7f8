/** Elements inside SVG whose content is HTML again (HTML Standard, section 13.2.6.1, integration points). */
const integrationPoints: ReadonlySet<string> = new Set(["foreignobject", "desc", "title"]);

/** Elements that begin another world than that of HTML. */
const roots: ReadonlySet<string> = new Set(["svg", "math"]);

/** HTML elements that end SVG and MathML wherever they begin (HTML Standard, section 13.2.6.5). */
const breakouts: ReadonlySet<string> = new Set(
  (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
  ).split(" "),
);

/** Elements whose end tags do so too, since they make an element of their own. */
const breakoutEnds: ReadonlySet<string> = new Set(["br", "p"]);

/** HTML elements that an SVG stands in. */
const surroundings: ReadonlySet<string> = new Set(
  (
    "a abbr address article aside b big blockquote button caption center cite code dd del details dialog div dl dt em " +
    "fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header i ins label legend li main mark menu nav " +
    "noscript object ol pre q s section small span strong sub summary sup table tbody td template tfoot th thead tr tt " +
    "u ul"
  ).split(" "),
);

interface OpenElement {
  readonly name: string;
  readonly isSvg: boolean;
  /** Whether tags in it are those of HTML. */
  readonly holdsHtml: boolean;
}

/**
 * Whether the tokenizer stands in SVG or MathML, where `title`, `script` and `style` are ordinary elements.
 *
 * The elements of SVG and MathML that are open are kept, those of HTML are not. So the end tag of an HTML element that is not
 * open in an SVG is taken for that of one around it, and ends the SVG too (HTML Standard, section 13.2.6.5, "any other end
 * tag"). Where there is none around it, browsers pass over that tag.
 */
export class ForeignContent {
  readonly #open: OpenElement[] = [];
  /** How many elements of each name are open: an end tag that ends none costs the same however deep it stands. */
  readonly #counts = new Map<string, number>();

  /** Whether any such element is open; cheap enough to be asked for each tag. */
  get entered(): boolean {
    return this.#open.length > 0;
  }

  /** Whether tags are those of SVG or MathML at this point. */
  get inside(): boolean {
    return this.#open.at(-1)?.holdsHtml === false;
  }

  /** Whether they are those of SVG. */
  get insideSvg(): boolean {
    return this.inside && this.#open.at(-1)?.isSvg === true;
  }

  /** A tag began; with `/>` it ends at once, here as nowhere in HTML. */
  open(name: string, selfClosing: boolean): void {
    if (this.inside && breakouts.has(name)) this.#leaveForeign();
    if (selfClosing || (!this.inside && !roots.has(name))) return;
    const isSvg = this.inside ? this.insideSvg : name === "svg";
    this.#open.push({ name, isSvg, holdsHtml: isSvg && integrationPoints.has(name) });
    this.#counts.set(name, this.#countOf(name) + 1);
  }

  close(name: string): void {
    if (this.inside && breakoutEnds.has(name)) this.#leaveForeign();
    const ends = this.inside || roots.has(name) || integrationPoints.has(name);
    if (ends && this.#countOf(name) > 0) this.#popThrough(name);
    else if (surroundings.has(name)) this.#leaveForeign();
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #popThrough(name: string): void {
    let popped = this.#pop();
    while (popped !== undefined && popped !== name) popped = this.#pop();
  }

  #leaveForeign(): void {
    while (this.inside) this.#pop();
  }

  #pop(): string | undefined {
    const name = this.#open.pop()?.name;
    if (name !== undefined) this.#counts.set(name, this.#countOf(name) - 1);
    return name;
  }
}
