import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Bounds a server's open connections, and lets none that says nothing keep others out.
 *
 * A connection beyond the bound takes the place of the one that has been longest without a request: since it was opened,
 * or since its last answer. Where all have a request under way, the new one is dropped. A server's own `maxConnections`
 * drops it in either case.
 *
 * Invariant: no connection is ended here while a request on it is under way.
 */
export class ConnectionPlaces {
  readonly #max: number;
  /** Open connections without a request; the one that has been so for longest comes first. */
  readonly #silent = new Set<Socket>();
  /** Requests under way on each of the others: one that has come is read while an earlier one is answered. */
  readonly #requests = new Map<Socket, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Watches over the connections of `server`, which must not listen yet. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#open(socket));
    // Before the answer can be over.
    server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#begin(socket);
      response.once("close", () => this.#end(socket));
    });
  }

  #open(socket: Socket): void {
    if (this.#silent.size + this.#requests.size >= this.#max) {
      const [longest] = this.#silent;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      this.#silent.delete(longest);
      longest.destroy();
    }
    this.#silent.add(socket);
    socket.once("close", () => {
      this.#silent.delete(socket);
      this.#requests.delete(socket);
    });
  }

  #begin(socket: Socket): void {
    this.#silent.delete(socket);
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
  }

  #end(socket: Socket): void {
    const left = (this.#requests.get(socket) ?? 0) - 1;
    if (left > 0) {
      this.#requests.set(socket, left);
      return;
    }
    this.#requests.delete(socket);
    if (!socket.destroyed) this.#silent.add(socket);
  }
}
