/** Something happens now and then; whoever waits for it looks again each time. */
export class Pulse {
  #next = Promise.withResolvers<undefined>();

  fire(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve(undefined);
  }

  /** Resolves when `isSo` is true: now, or after one of the next pulses. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#next.promise;
  }
}
