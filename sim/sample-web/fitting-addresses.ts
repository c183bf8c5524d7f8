import { createServer } from "node:net";
import { errorCode } from "../../src/core/errors.ts";
import type { SampleWebOptions } from "./sample-web-options.ts";

/**
 * An address of which nobody has made an alias: Linux and Windows take all of 127.0.0.0/8 for the machine's own, macOS and
 * the BSDs 127.0.0.1 alone.
 */
const probeAddress = "127.1.0.1";

/**
 * `options` for this machine: a web of 127.0.0.0/8 is at 127.0.0.1 as a whole where that is the only loopback address.
 * Webs of other blocks and those named by addresses are left as they are.
 */
export async function withFittingAddresses(
  options: SampleWebOptions,
  address = probeAddress,
): Promise<SampleWebOptions> {
  const isOfLoopback = options.addressBlock === 127 && options.naming === "names";
  if (!isOfLoopback || (await isOwnAddress(address))) return options;
  return { ...options, addressing: "one" };
}

function isOwnAddress(address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      if (errorCode(error) === "EADDRNOTAVAIL") resolve(false);
      else reject(error);
    });
    server.listen(0, address, () => server.close(() => resolve(true)));
  });
}
