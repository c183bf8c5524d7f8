/**
 * A process with a long queue, for `dequeue.ts`: `node queue-holder.ts fill|fetch|drain DIRECTORY URLS HOSTS COUNT`.
 *
 * - `fill` admits URLS URLs of HOSTS hosts, says so when they are durable, and goes on admitting others until it is killed.
 * - `fetch` starts a whole peer there, and tells when it makes its first request, which is never answered.
 * - `drain` takes COUNT URLs out of the queue.
 *
 * Tells what it does as JSON lines, and ends with the program that started it.
 */
import { fileURLToPath } from "node:url";
import { restartWithMemorySettings } from "../../../node/memory-settings.ts";

const words = process.argv.slice(2);
restartWithMemorySettings(fileURLToPath(import.meta.url), words);
process.stdin.resume().once("end", () => process.exit(0));

const { drain, fetchFirst, fill } = await import("./queue-work.ts");
const [mode = "", directory = "", ...numbers] = words;
const [urls = 0, hosts = 0, count = 0] = numbers.map(Number);
if (mode === "fill") await fill(directory, urls, hosts);
else if (mode === "fetch") await fetchFirst(directory);
else await drain(directory, count);
