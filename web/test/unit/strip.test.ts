import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../../src/data/layout";
import { pack } from "../../src/draw/lines";
import { endOfStrip } from "../../src/draw/painter";
import { randomExample } from "./tree";

test("a strip ends with the last node that fits, as a look at each would say", () => {
  for (let seed = 0; seed < 60; seed++) {
    const l = layoutOf(randomExample(seed).tree);
    for (let level = 0; level < l.levels; level++) {
      const stop = l.first[level + 1];
      for (let i = l.first[level]; i < stop; i++) {
        for (const more of [0, 1, 5, 50, 1e9]) {
          const right = l.start[i] + more;
          let want = i + 1;
          while (want < stop && l.start[want] + l.width[want] <= right) want++;
          assert.equal(endOfStrip(l, i, stop, right), want);
        }
      }
    }
  }
});

test("a colour is packed as a little-endian canvas has it, and mixed by channel", () => {
  assert.equal(pack("#112233"), 0xff332211);
  assert.equal(pack("#000000", "#ffffff", 0.5), 0xff808080);
  assert.equal(pack("#102030", "#102030", 0.3), 0xff302010);
});
