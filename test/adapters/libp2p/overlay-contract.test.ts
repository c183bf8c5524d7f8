import { overlayContract } from "../../contracts/overlay.ts";
import { LoopbackPlace } from "./loopback-place.ts";

overlayContract("libp2p's overlay", () => new LoopbackPlace());
