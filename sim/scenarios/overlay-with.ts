import type { Overlay } from "../../src/ports/overlay.ts";

/** The overlay with some of its methods replaced: to count what goes through, or to break it on purpose. */
export function overlayWith(
  overlay: Overlay,
  changes: Partial<Pick<Overlay, "request" | "serve" | "notify" | "publish" | "onClaim">>,
): Overlay {
  return {
    self: overlay.self,
    addresses: overlay.addresses,
    start: () => overlay.start(),
    stop: () => overlay.stop(),
    join: (address, signal) => overlay.join(address, signal),
    learn: (member, addresses) => overlay.learn(member, addresses),
    request: (request, signal) => overlay.request(request, signal),
    serve: (kind, handler) => overlay.serve(kind, handler),
    notify: (to, payload) => overlay.notify(to, payload),
    onNotice: (listener) => overlay.onNotice(listener),
    publish: (claim) => overlay.publish(claim),
    onClaim: (listener) => overlay.onClaim(listener),
    onBroken: (listener) => overlay.onBroken(listener),
    ...changes,
  };
}
