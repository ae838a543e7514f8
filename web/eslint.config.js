import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "src/fleet/api/schema.ts"] },
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}", "test/**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Numbers in a label are the point of a profiler's page.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // An index may lie outside an array, whatever the element's type says.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // node:test's test() returns a promise that the runner awaits itself.
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", name: "test", package: "node:test" }] },
      ],
    },
  },
);
