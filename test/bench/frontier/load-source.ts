import { registerHooks, stripTypeScriptTypes } from "node:module";

/**
 * Lets this process import the source as it stands, from the next `import()` on. Node.js strips types by itself, but not
 * the namespaces of the generated message codecs: those it has to be asked to transform.
 */
export function loadGeneratedSource(): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.endsWith(".pb.ts")) return nextLoad(url, context);
      const { source } = nextLoad(url, { ...context, format: "module" });
      const text = typeof source === "string" ? source : new TextDecoder().decode(source);
      return {
        format: "module",
        source: stripTypeScriptTypes(text, { mode: "transform" }),
        shortCircuit: true,
      };
    },
  });
}
