import { readlinkSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { onTestFinished, vi } from "vitest";

/** Names of the files and folders that the test makes durable from now on, in their order; on Linux alone. */
export async function watchSyncs(): Promise<string[]> {
  const synced: string[] = [];
  const some = await open("/", "r");
  const proto = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const original: () => Promise<void> = Reflect.get(proto, "sync");
  const spy = vi.spyOn(proto, "sync").mockImplementation(function (this: FileHandle) {
    synced.push(basename(readlinkSync(`/proc/self/fd/${this.fd}`)));
    return original.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}
