import { access } from "node:fs/promises";

/** Whether there is something at this path that this process can see. */
export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
