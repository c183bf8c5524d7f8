/** Elements inside SVG whose content is HTML again (HTML Standard, section 13.2.6.1, integration points). */
const integrationPoints: ReadonlySet<string> = new Set(["foreignobject", "desc", "title"]);

/** HTML elements that end SVG and MathML wherever they begin (HTML Standard, section 13.2.6.5). */
const breakouts: ReadonlySet<string> = new Set(
  (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
  ).split(" "),
);

/** Elements whose end tags do so too, since they make an element of their own. */
const breakoutEnds: ReadonlySet<string> = new Set(["br", "p"]);

/** Deeper nesting of SVG within HTML within SVG is ignored. */
const depthMax = 64;

/**
 * Whether the tokenizer stands in SVG or MathML, where `title`, `script` and `style` are ordinary elements.
 *
 * A full stack of open elements is not kept: only the elements that switch between the two worlds are. So the end tag of an
 * HTML element around an SVG that was never closed does not close it, as it does in browsers.
 */
export class ForeignContent {
  readonly #switches: string[] = [];

  /** Whether any such element is open; cheap enough to be asked for each tag. */
  get entered(): boolean {
    return this.#switches.length > 0;
  }

  /** Whether tags are those of SVG or MathML at this point. */
  get inside(): boolean {
    const innermost = this.#switches.at(-1);
    return innermost !== undefined && !integrationPoints.has(innermost);
  }

  /** Whether they are those of SVG. */
  get insideSvg(): boolean {
    return this.#switches.at(-1) === "svg";
  }

  /** A tag began; with `/>` it ends at once, here as nowhere in HTML. */
  open(name: string, selfClosing: boolean): void {
    if (this.inside && breakouts.has(name)) this.#leaveForeign();
    if (selfClosing || this.#switches.length >= depthMax) return;
    const foreign = name === "svg" || name === "math";
    if (foreign || (this.inside && integrationPoints.has(name))) this.#switches.push(name);
  }

  close(name: string): void {
    if (this.inside && breakoutEnds.has(name)) this.#leaveForeign();
    const index = this.#switches.lastIndexOf(name);
    if (index >= 0) this.#switches.length = index;
  }

  #leaveForeign(): void {
    while (this.inside) this.#switches.pop();
  }
}
