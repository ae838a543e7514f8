import assert from "node:assert/strict";
import test from "node:test";
import { whereTo } from "../../src/fleet/views/overview/leads";

test("a surprise leads to the functions that it is about", () => {
  const { query = "" } = whereTo({
    kind: "function",
    name: "std::vector<int>::operator[](unsigned)",
  });
  assert.ok(new RegExp(query).test("std::vector<int>::operator[](unsigned)"));
  assert.ok(!new RegExp(query).test("std::vector<int>::operator=(unsigned)"));
  assert.deepEqual(whereTo({ kind: "family", name: "memory management" }), {
    view: "top",
    own: { "top.family": "memory management" },
  });
});
