/** The module of `undici` that holds its client for one connection; declared by the package only as part of the whole. */
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";

  /** The module is CommonJS: the class itself is what it exports. */
  const client: typeof Client;
  export default client;
}
