import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeText } from "../../src/fleet/parts/time";
import { instant } from "../../src/fleet/state/moment";

test("a range is said in words, also one from a link", () => {
  const now = new Date(2026, 10, 22, 15, 30).getTime();
  const at = (text: string): number => instant(text, now);
  const day = new Date(2026, 10, 20, 8, 5).toISOString();
  const texts: readonly (readonly [string, string, string])[] = [
    ["now-1h", "now", "Last hour"],
    ["now-24h", "now", "Last 24 hours"],
    ["now-8d", "now", "Last 8 days"],
    ["now-1w", "now", "Last week"],
    ["now-90s", "now", "Last 90 seconds"],
    ["now-2h", "now-1h", "2026-11-22 13:30 – 14:30"],
    ["now-2d", "now-1d", "2026-11-20 15:30 – 2026-11-21 15:30"],
    [day, "now", "2026-11-20 08:05 – 2026-11-22 15:30"],
    ["yesterday", "now", "yesterday – 2026-11-22 15:30"],
  ];
  for (const [from, to, want] of texts) assert.equal(rangeText(from, to, at), want);
});
