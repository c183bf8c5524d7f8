/**
 * Lets writes to a disk through, or holds them up.
 *
 * A disk may hang: it neither fails nor says anything, for as long as it likes, and what has been handed to it counts for
 * nothing meanwhile.
 */
export class Sluice {
  #opened: PromiseWithResolvers<void> | undefined;

  get isShut(): boolean {
    return this.#opened !== undefined;
  }

  /** Idempotent. */
  shut(): void {
    this.#opened ??= Promise.withResolvers();
  }

  /** Idempotent. */
  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Resolves when it is open: to be asked for only while it is shut, lest quick disks take a turn more. */
  async passed(): Promise<void> {
    while (this.#opened) await this.#opened.promise;
  }
}
