import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Accepts connections and says nothing, as a machine behind a firewall that drops what it does not know. */
export class SilentServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #address = "";
  #ended = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      // Whoever gives up may reset the connection.
      socket.on("error", () => undefined);
      socket.on("close", () => (this.#ended += 1));
      socket.resume();
    });
  }

  static async start(): Promise<SilentServer> {
    const silent = new SilentServer();
    await new Promise<void>((resolve) => silent.#server.listen(0, "127.0.0.1", resolve));
    const { port } = silent.#server.address() as AddressInfo;
    silent.#address = `/ip4/127.0.0.1/tcp/${port}`;
    return silent;
  }

  get address(): string {
    return this.#address;
  }

  /** How often it was called. */
  get calls(): number {
    return this.#sockets.size;
  }

  /** How many of the calls have ended. */
  get ended(): number {
    return this.#ended;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
