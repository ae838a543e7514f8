import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultState, formatHash, parseHash, type State } from "../../src/ui/hash";

test("the address carries the whole state", () => {
  const s: State = {
    view: "sandwich",
    query: "a&b=c#%\u00e9|x",
    fn: "std::vector<int>::push_back@libx.so",
    finding: "rule-12345678",
    rootBelow: true,
    theme: "dark",
    range: { from: 0.125, to: 0.2500000001 },
    selected: { level: 3, at: 0.2 },
  };
  assert.deepEqual(parseHash(formatHash(s), defaultState()), s);
  assert.deepEqual(parseHash(formatHash(defaultState()), defaultState()), defaultState());
});

test("an address written by hand breaks nothing", () => {
  for (const hash of [
    "",
    "#",
    "#view=nope&range=1,0&select=-1,x&theme=pink",
    "#range=0,2",
    "#range=a",
  ]) {
    assert.deepEqual(parseHash(hash, defaultState()), defaultState(), hash);
  }
});

test("what the address leaves out comes from the page", () => {
  const s = parseHash("#q=x", { ...defaultState(), view: "reverse", rootBelow: true });
  assert.equal(s.view, "reverse");
  assert.equal(s.rootBelow, true);
  assert.equal(parseHash("#root=top", { ...defaultState(), rootBelow: true }).rootBelow, false);
});
