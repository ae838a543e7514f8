import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, joined, next } from "../../src/fleet/parts/conditions";

test("what comes next in a condition", () => {
  const said = (text: string): string => {
    const at = next(text);
    return at ? `${at.kind} ${at.key}:${at.typed}` : "operator";
  };
  for (const [text, want] of [
    ["", "key :"],
    ["po", "key :po"],
    ["pod=", "value pod:"],
    ['pod="web 1', "value pod:web 1"],
    ["k8s.pod.name != web-", "value k8s.pod.name:web-"],
    ['pod="web-1"', "operator"],
    ['pod="web-1" ', "operator"],
    ["pod=web-1 ", "operator"],
    ['pod="web-1" and ', "key :"],
    ['pod="web-1" and not (th', "key :th"],
  ] as const)
    assert.equal(said(text), want, text);
});

test("what is chosen takes the place of what was typed", () => {
  const chosen = (text: string, word: string): string => {
    const at = next(text);
    assert.ok(at);
    return complete(text, at, word);
  };
  assert.equal(chosen("po", "pod"), "pod=");
  assert.equal(chosen('a="b" and po', "pod"), 'a="b" and pod=');
  assert.equal(chosen("pod=we", "web-1"), 'pod="web-1" ');
  assert.equal(chosen('pod!="we', 'w"e\\b'), 'pod!="w\\"e\\\\b" ');
});

test("one more condition", () => {
  assert.equal(joined("", "pod", "a"), 'pod="a"');
  assert.equal(joined('x="1"', "pod", "a"), 'x="1" and pod="a"');
  assert.equal(joined('x="1" or y="2"', "pod", ""), '(x="1" or y="2") and pod=""');
});
