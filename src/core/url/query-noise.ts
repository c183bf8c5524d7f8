/**
 * Query parameters that do not change the page: the one table of them.
 *
 * A wrong entry here hides pages, a missing one only costs a second fetch; so a name is listed only where it means the
 * same thing on every site. Names are compared without regard to case.
 */

/** Session ids: PHP, Java, ColdFusion, osCommerce, Zen Cart, xt:Commerce. */
const sessionNames = ["phpsessid", "jsessionid", "cfid", "cftoken", "oscsid", "zenid", "xtc_sid"];

/** Click and campaign ids that advertisers, mailers and social networks append to other people's links. */
const trackingNames = [
  // Google
  "gclid",
  "gclsrc",
  "dclid",
  "gbraid",
  "wbraid",
  "srsltid",
  "_ga",
  "_gl",
  // Meta, Microsoft, Yandex, X, TikTok, LinkedIn
  "fbclid",
  "igshid",
  "igsh",
  "msclkid",
  "yclid",
  "ysclid",
  "twclid",
  "ttclid",
  "li_fat_id",
  // Mailchimp, HubSpot, Marketo, Vero, Omeda
  "mc_cid",
  "mc_eid",
  "_hsenc",
  "_hsmi",
  "hsctatracking",
  "mkt_tok",
  "vero_id",
  "oly_enc_id",
  "oly_anon_id",
];

/** First characters of families: Urchin and Matomo campaigns, classic ASP's session cookies. */
const noisePrefixes = ["utm_", "mtm_", "pk_campaign", "pk_kwd", "aspsessionid"];

const noiseNames: ReadonlySet<string> = new Set([...sessionNames, ...trackingNames]);

/** As often the number of a story, or of a talk at a conference: a session only where the value was drawn at random. */
const ambiguousNames: ReadonlySet<string> = new Set(["sid", "sess_id", "session_id", "sessionid"]);

/** Letters and digits in one piece, as no name and no number of anything is. */
const randomToken = /^(?=.*[a-z])(?=.*[0-9])(?:[0-9a-f]{8,}|[0-9a-z]{16,})$/i;

/** `;jsessionid=...` within a path segment (Java Servlet 6.0, 7.1.3). */
const sessionPathParameter = /;jsessionid=[^;/]*/gi;

/** Whether the query parameter `name=value`, as written in a URL, does not change the page. */
export function isQueryNoise(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (ambiguousNames.has(lower)) return randomToken.test(value);
  return noiseNames.has(lower) || noisePrefixes.some((prefix) => lower.startsWith(prefix));
}

/** `url`, which has no query, without the session ids that servlet containers write into its path. A name may have them too. */
export function withoutSessionPathParameters(url: string): string {
  const pathStart = url.indexOf("/", "https://".length);
  return url.slice(0, pathStart) + url.slice(pathStart).replace(sessionPathParameter, "");
}
