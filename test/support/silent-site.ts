import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that answers for its robots.txt alone. */
export class SilentSite {
  readonly #server: Server;
  readonly #asked = Promise.withResolvers<undefined>();
  /** Resolves when a page was asked for. */
  readonly asked = this.#asked.promise;

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else this.#asked.resolve(undefined);
    }).listen(0, "127.0.0.1");
  }

  static async start(): Promise<SilentSite> {
    const started = new SilentSite();
    await once(started.#server, "listening");
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
