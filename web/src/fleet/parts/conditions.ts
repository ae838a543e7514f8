// The text of a condition on labels: what can be typed next, and one more condition. The
// server alone decides what is valid; docs/guide/labels.md describes the language.

export interface Next {
  readonly kind: "key" | "value";
  readonly key: string; // of the value
  readonly typed: string; // what there is of it already
  readonly from: number; // where that begins
}

const VALUE = /([\w./-]+)\s*(?:=~|!~|!=|=)\s*(?:"([^"]*)|'([^']*)|([\w./:-]*))$/;
const KEY = /(?:^|[\s(,])([\w./-]*)$/;
const COMPLETE =
  /([\w./-]+)\s*(?:=~|!~|!=|=)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w./:-]+)\s+$/;

// next says what the end of a text is about: `pod="we` is the value "we" of pod. null is after
// a whole condition, where an operator comes.
export function next(text: string): Next | null {
  if (COMPLETE.test(text)) return null;
  const value = VALUE.exec(text);
  if (value) {
    const typed = value[2] ?? value[3] ?? value[4] ?? "";
    return { kind: "value", key: value[1], typed, from: text.length - typed.length };
  }
  const key = KEY.exec(text);
  return key && { kind: "key", key: "", typed: key[1], from: text.length - key[1].length };
}

// complete puts a key or a value in place of what was typed of it.
export function complete(text: string, at: Next, word: string): string {
  if (at.kind === "key") return `${text.slice(0, at.from)}${word}=`;
  const before = text.slice(0, at.from).replace(/["']$/, "");
  return `${before}${quote(word)} `;
}

// joined adds the condition that a label has a value.
export function joined(where: string, key: string, value: string): string {
  const one = `${key}=${quote(value)}`;
  if (where.trim() === "") return one;
  return where.includes(" or ") ? `(${where.trim()}) and ${one}` : `${where.trim()} and ${one}`;
}

function quote(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
