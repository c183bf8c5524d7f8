import tseslint from "typescript-eslint";

/** Time and chance enter through ports only, so that a whole swarm can be replayed from one seed. */
const impureGlobals = ["setTimeout", "setInterval", "setImmediate", "performance"].map((name) => ({
  name,
  message: "Use the Clock port.",
}));

const impureProperties = [
  { object: "Date", property: "now", message: "Use the Clock port." },
  { object: "Math", property: "random", message: "Use the Entropy port." },
  { object: "AbortSignal", property: "timeout", message: "Use the Clock port." },
];

const unstrippableSyntax = [
  { selector: "TSEnumDeclaration", message: "Use a union of string literals." },
  { selector: "TSModuleDeclaration[kind='namespace']", message: "Use a module." },
  { selector: "TSParameterProperty", message: "Declare a #private field." },
];

export default tseslint.config(
  // The bench's rivals are plain JavaScript whose packages only test/bench/package.json installs.
  {
    ignores: ["dist", "coverage", "**/*.pb.ts", "src/core/globals.d.ts", "test/bench/rivals"],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] } },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/prefer-readonly": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
      // What is named beside a rest is left out of it.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "max-lines": ["error", { max: 400 }],
      "max-lines-per-function": ["error", { max: 70, skipComments: true, skipBlankLines: true }],
      "no-restricted-syntax": ["error", ...unstrippableSyntax],
      eqeqeq: "error",
    },
  },
  {
    files: ["src/**/*.ts", "sim/**/*.ts", "node/**/*.ts"],
    ignores: ["src/adapters/**", "sim/virtual-clock.ts"],
    rules: {
      "no-restricted-globals": ["error", ...impureGlobals],
      "no-restricted-properties": ["error", ...impureProperties],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: { "max-lines-per-function": "off" },
  },
  { files: ["eslint.config.js"], ...tseslint.configs.disableTypeChecked },
);
