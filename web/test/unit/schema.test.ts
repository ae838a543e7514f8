// The types of the API are those that its description gives now.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import openapiTS, { astToString } from "openapi-typescript";

const at = (name: string): URL => new URL(name, import.meta.url);

void test("the types of the API are current (npm run types)", async () => {
  const made = astToString(await openapiTS(at("../../../docs/api/openapi.yaml")));
  const kept = readFileSync(at("../../src/fleet/api/schema.ts"), "utf8");
  const body = (text: string): string => text.slice(text.indexOf("export interface paths")).trim();
  assert.ok(body(made).length > 10_000);
  assert.equal(body(kept), body(made));
});
