import assert from "node:assert/strict";
import { test } from "node:test";
import { ticksText } from "../../src/fleet/parts/cores";

test("the ticks of an axis differ, however small or large they are", () => {
  const texts: readonly (readonly [number[], string[]])[] = [
    [
      [0, 0.00005, 0.0001],
      ["0", "0.00005", "0.00010"],
    ],
    [
      [0, 0.25, 0.5],
      ["0", "0.25", "0.50"],
    ],
    [
      [0, 1, 2, 3],
      ["0", "1", "2", "3"],
    ],
    [
      [0, 2500, 5000],
      ["0", "2,500", "5,000"],
    ],
    [[7], ["7"]],
  ];
  for (const [ticks, want] of texts) assert.deepEqual(ticksText(ticks), want);
});
