import assert from "node:assert/strict";
import { test } from "node:test";
import { heard, missing } from "../../src/fleet/api/missing";

void test("what is missing is said until the same answer is whole again", () => {
  heard("/api/v1/top?service=a", null);
  assert.equal(missing.value, "");
  heard("/api/v1/top?service=a", "shard 2 of 2");
  assert.equal(missing.value, "shard 2 of 2");
  heard("/api/v1/prices", null); // rests on no samples
  assert.equal(missing.value, "shard 2 of 2");
  heard("/api/v1/top?service=b", null);
  assert.equal(missing.value, "");
});
