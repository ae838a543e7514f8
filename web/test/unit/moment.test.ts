// Times and addresses of the server's page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAddress, HOME, parseAddress, selection } from "../../src/fleet/state/address";
import { absolute, instant, moment, setServerTime } from "../../src/fleet/state/moment";

const NOW = Date.parse("2026-11-22T12:00:00Z");

void test("times are read as the API reads them", () => {
  assert.equal(instant("now", NOW), NOW);
  assert.equal(instant("now-90m", NOW), NOW - 5_400_000);
  assert.equal(instant("now-2w", NOW), NOW - 14 * 86_400_000);
  assert.equal(instant("2026-11-22T11:00:00Z", NOW), NOW - 3_600_000);
  for (const none of ["", "now-", "now-1y", "now+1h", "12", "yesterday"]) {
    assert.ok(Number.isNaN(instant(none, NOW)), none);
  }
});

void test("relative times become those of one moment, others stay", () => {
  assert.equal(absolute("now-1h", NOW), "2026-11-22T11:00:00Z");
  assert.equal(absolute("rubbish", NOW), "rubbish"); // the server says what is wrong
});

void test("the server's first answer puts a wrong clock right, and later ones move nothing", () => {
  const ahead = 7_200_000;
  const before = Date.now();
  setServerTime(before + ahead);
  const at = moment.value;
  assert.ok(at > before + ahead - 1000 && at <= Date.now() + ahead, String(at - before));
  setServerTime(Date.now());
  assert.equal(moment.value, at); // numbers of two views belong together
});

void test("an address comes back as it was written", () => {
  const a = {
    ...HOME,
    view: "top" as const,
    from: "now-24h",
    filters: { service: ["a b", "c&d"], host: [""] },
    query: "^std::.*<int>",
    fn: 17,
    exact: true,
    own: { "top.sort": "total", "flame.range": "0-1" },
  };
  const [path = "", query = ""] = formatAddress(a).split("?");
  assert.deepEqual(parseAddress(path, query), a);
  assert.deepEqual(selection(a), {
    from: "now-24h",
    to: "now",
    service: ["a b", "c&d"],
    host: [""],
    exact: true,
  });
  assert.deepEqual(parseAddress("/nowhere", "fn=-1&theme=pink"), HOME);
});
