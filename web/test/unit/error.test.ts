// What a reader is told of answers that are none, and which of them are asked again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, asApiError, passing, refused } from "../../src/fleet/api/error";

test("what the server says is shown, a proxy's page is put into words", async () => {
  const said = { error: "busy", detail: "too much to do", help: "Come again." };
  const busy = await refused(
    new Response(JSON.stringify(said), { status: 503, headers: { "Retry-After": "2" } }),
  );
  assert.deepEqual(
    [busy.kind, busy.message, busy.help, busy.retryAfter],
    ["busy", "too much to do", "Come again.", 2],
  );
  for (const status of [401, 403, 404, 413, 414, 429, 431, 500, 502, 503, 504, 418]) {
    for (const body of ["<html>oh</html>", "null", "{}", '{"detail": 3}']) {
      const error = await refused(new Response(body, { status }));
      assert.match(error.message, new RegExp(`^[a-z].*status ${status}`));
      assert.ok(error.help !== "" || passing(error) || status === 401, String(status));
    }
  }
});

test("a moment to come again may be a date", async () => {
  const before = Date.now();
  const at = new Date(before + 60_000).toUTCString(); // in whole seconds
  const error = await refused(new Response("", { status: 429, headers: { "Retry-After": at } }));
  const least = 59 - (Date.now() - before) / 1000;
  assert.ok(error.retryAfter >= least && error.retryAfter <= 60, String(error.retryAfter));
  const never = await refused(new Response("", { status: 429, headers: { "Retry-After": "?" } }));
  assert.equal(never.retryAfter, 0);
});

test("help that is for programs is not shown to people", async () => {
  const body = JSON.stringify({
    detail: "no such function",
    help: "/api/v1/functions finds some.",
  });
  assert.doesNotMatch((await refused(new Response(body, { status: 404 }))).help, /api/);
});

test("what is asked again by itself", () => {
  const of = (status: number, kind: string): boolean =>
    passing(new ApiError(status, kind, "", "", 0));
  assert.ok(of(0, "unreachable") && of(429, "failed") && of(502, "failed") && of(503, "busy"));
  assert.ok(!of(0, "cancelled") && !of(400, "bad_request") && !of(500, "internal"));
  assert.ok(!of(504, "timeout"), "the same question would take as long again");
});

test("an answer that cannot be read, or breaks off", () => {
  assert.equal(asApiError(new SyntaxError("Unexpected token")).kind, "unreadable");
  assert.equal(asApiError(new TypeError("network error")).kind, "unreachable");
  assert.equal(asApiError(new DOMException("", "AbortError")).kind, "cancelled");
});
