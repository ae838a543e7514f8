import assert from "node:assert/strict";
import test from "node:test";
import {
  at,
  functionLines,
  linesOf,
  stacked,
  type History,
  type Timeline,
} from "../../src/fleet/parts/timeline/lines";

function timeline(lines: Timeline["lines"], others: number, to = "2026-11-22T10:03:00Z"): Timeline {
  return {
    basis: {
      from: "2026-11-22T10:00:00Z",
      to,
      count: 1,
      value: 1,
      unit: "nanoseconds",
      level: 0,
      read: 1,
      share_error: 0,
      covered_seconds: 3600,
    },
    start: "2026-11-22T10:00:00Z",
    step_seconds: 60,
    steps: 3,
    others,
    lines,
  };
}

test("weights become cores: CPU time by the time of the step", () => {
  const l = linesOf(timeline([{ value: "web", weight: [120e9, 60e9, 0] }], 0));
  assert.deepEqual(l.lines[0].cores, [2, 1, 0]);
  assert.equal(l.times[1] - l.times[0], 60);
  assert.equal(l.lines[0].weight, 180e9);
});

test("a longer step that has only begun is not taken for a fall", () => {
  const t = {
    ...timeline([{ value: "web", weight: [300e9, 300e9, 60e9] }], 0, "2026-11-22T10:11:00Z"),
    step_seconds: 300,
  };
  assert.deepEqual(linesOf(t).lines[0].cores, [1, 1, 1]);
});

test("lines are stacked with the largest on top, and the others are told apart", () => {
  const l = linesOf(
    timeline(
      [
        { value: "web", weight: [120e9, 60e9, 60e9] },
        { value: "", weight: [60e9, 60e9, 0] },
      ],
      7,
    ),
  );
  assert.deepEqual(
    l.lines.map((one) => one.others),
    [false, true],
  );
  assert.deepEqual(stacked(l.lines, 3), [
    [3, 2, 1],
    [1, 1, 0],
  ]);
  const under = at(l, 0);
  assert.equal(under.all, 3);
  assert.deepEqual(
    under.first.map((one) => one.value),
    ["web"],
  );
});

test("a service without a name is no 'others'", () => {
  const l = linesOf(timeline([{ value: "", weight: [60e9, 0, 0] }], 0));
  assert.equal(l.lines[0].others, false);
});

test("a function over time is itself and what it calls", () => {
  const { basis, start } = timeline([], 0);
  const of = (weight: number[]): History => ({
    basis,
    start,
    step_seconds: 60,
    functions: [{ id: 7, weight }],
  });
  const l = functionLines(of([60e9, 0, 30e9]), of([120e9, 60e9, 30e9]));
  assert.deepEqual(
    l.lines.map((one) => [one.value, one.cores]),
    [
      ["itself", [1, 0, 0.5]],
      ["what it calls", [1, 1, 0]],
    ],
  );
  assert.deepEqual([l.times.length, l.step], [3, 60]);
});
