import { readFileSync } from "node:fs";
import { decode, inflate } from "./src/data/payload";
import { layoutOf } from "./src/data/layout";
import * as measure from "./src/data/measure";
const html = readFileSync(process.argv[2], "utf8");
const b64 = /id="profile">([^<]*)</.exec(html)![1];
const fn = (measure as any).functionTotals ?? (measure as any).totalsOf;
for (let i = 0; i < 5; i++) {
  let t = performance.now(); const out: string[] = [];
  const step = (name: string) => { const n = performance.now(); out.push(`${name} ${(n - t).toFixed(0)}`); t = n; };
  const bytes = await inflate(b64); step("inflate");
  const p = decode(bytes); step("decode");
  layoutOf(p.tree); step("layout");
  if (fn) { fn(p.tree, p.functions.count); step("totals"); }
  console.log(out.join(" ms, "));
}
