import assert from "node:assert/strict";
import { test } from "node:test";
import { coresText, ticksText } from "../../src/fleet/parts/cores";

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

test("rows of a small program differ", () => {
  const texts: readonly (readonly [number, string])[] = [
    [0, "0"],
    [0.00042, "0.00042"],
    [-0.000421, "-0.00042"],
    [0.000999, "0.0010"],
    [0.0012, "0.001"],
    [0.000002, "0.0000020"],
    [1e-9, "<0.000001"],
    [-1e-9, ">-0.000001"],
    [0.5, "0.50"],
    [12.34, "12.3"],
    [1234, "1,234"],
  ];
  for (const [n, want] of texts) assert.equal(coresText(n), want);
});
