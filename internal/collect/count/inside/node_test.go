package inside

import (
	"testing"

	"whyhot/internal/profile"
)

const nodeProgram = `
class Tool {
  constructor(text) { this.text = text; }
  use(number) { return number; }
  never() {}
  fails() { throw new Error("no"); }
  get size() { return this.text.length }
  static build(text) { return new Tool(text); }
  async later() { return 1; }
}
class Big extends Tool {
  constructor(text) { super(text); this.big = true; }
}
function Table() { this.rows = []; }
Table.prototype.add = function (row) {
  "use strict"
  this.rows.push(row)
  return this.rows.length
}
Table.prototype.widest = function (of) {
  if (of) return [Math.max(...this.rows.map((r) => r.length)), of]; else return of, [1, /[/"]}/.test(` + "`${of}}`" + `)];
};
Table.prototype.chained = function () { return this; };
Table.prototype.each = function* () { yield 1; };
const inner = {
  temporary: (tool) => tool.text + "!",
  picked: ({ text }) => ({ text }),
  nested(n) { return [1, 2].map(x => { return x + n; }) },
};
const curried = a => b => a + b, after = (...all) =>
  all.length / 2 / 1;
function clash(n) { var twice; function twice() { return n } return twice(); }

function made(n) { 'use strict'; function inScope() { return n } return inScope; }
const pure = (() => { return { onlyOne(n) { return n } } })();

const table = new Table();
for (let n = 0; n < 300; n++) {
  new Tool("the same").use(n);
  new Big("big").size;
  table.add("row");
  table.widest(n % 3);
  Tool.build("built");
  table.chained();
  new Tool("a").later();
  [...table.each()];
  inner.temporary(new Tool("text " + n));
  inner.picked(table);
  inner.nested(n % 2);
  curried(1)(n);
  after(n, n);
  clash(n);
  made(n)();
  pure.onlyOne(1);
  try { new Tool("").fails(); } catch {}
}
if (table.rows.length !== 300 || inner.nested(1)[1] !== 3 || Number.isNaN(after(1))) throw new Error();
process.exit(0);
`

// As of Python, in scripts and in modules; constructors give nothing that is looked at, and of
// what cannot be looked at the calls are counted. What a function sees of another call of the
// function around it is another argument. A body that cannot stand in a block is left
// alone, and hinders no other function of the file.
func TestNode(t *testing.T) {
	want := []profile.FunctionCalls{
		{Name: "Tool", Count: 1800, Looked: 1800, Different: 305, Repeated: 1495, Same: 1495, Nothing: 1800, Cyclic: 29},
		{Name: "Big", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		{Name: "use", Count: 300, Looked: 300, Different: 300, Results: 300, Plain: 300},
		{Name: "never"},
		{Name: "fails", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		{Name: "get size", Count: 300, Looked: 300, Different: 300, Results: 1, Plain: 300},
		{Name: "build", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		{Name: "later", Count: 300},
		{Name: "Table", Count: 1, Looked: 1, Different: 1, Nothing: 1},
		{Name: "Table.add", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Plain: 300, Cyclic: 298},
		{Name: "widest", Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		{Name: "Table.chained", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		{Name: "Table.each", Count: 300},
		{Name: "temporary", Count: 300, Looked: 300, Different: 300, Results: 300},
		{Name: "picked", Count: 300},
		{Name: "nested", Count: 301, Looked: 301, Different: 2, Repeated: 299, Same: 299, Results: 2, Cyclic: 296},
		{Name: "curried", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Cyclic: 298},
		{Name: "after", Count: 301, Looked: 301, Different: 301, Results: 2, Plain: 301},
		{Name: "inScope", Count: 300, Looked: 300, Different: 300, Results: 300, Plain: 300},
		{Name: "onlyOne", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Plain: 300, Cyclic: 298},
	}
	var names []string
	for _, w := range want {
		names = append(names, w.Name)
	}
	for _, name := range []string{"p.cjs", "p.mjs", "p.js"} {
		got, file := run(t, profile.KindJS, "node", name, nodeProgram, nil, append(names, "clash")...)
		if len(got.NotCounted) != 1 {
			t.Errorf("%s: %v", name, got.NotCounted)
		}
		got.NotCounted = nil
		held(t, got, file, want...)
	}
}

// A module is rewritten as well, and a function of a line is that of the line.
func TestNodeModule(t *testing.T) {
	const text = "import path from 'node:path';\nexport const of = (n) => path.join('a', `${n}`);\nexport default function go(n) { return n + 1 }\nfor (let n = 0; n < 10; n++) { of(n % 2); go(1); }\nawait 1;\n"
	got, file := run(t, profile.KindJS, "node", "p.mjs", text, nil, "of", "go", "gone")
	if len(got.NotCounted) != 1 {
		t.Errorf("%+v", got.NotCounted)
	}
	got.NotCounted = nil
	held(t, got, file,
		profile.FunctionCalls{Name: "of", Count: 10, Looked: 10, Different: 2, Repeated: 8, Same: 8, Results: 2, Cyclic: 6},
		profile.FunctionCalls{Name: "go", Count: 10, Looked: 10, Different: 1, Repeated: 9, Same: 9, Results: 1, Plain: 10, Cyclic: 8})
}

const nodeTimed = `
let at = 0;
function late(n) {
  if (n === 7 && at > 300) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  return n;
}
function itself(n) { return n === 0 ? 0 : itself(n - 1); }
for (let n = 0; n < 400; n++) {
  at = n;
  late(n % 300);
  itself(3);
}
`

// The time of a call counts where the number of the call belongs.
func TestNodeTimes(t *testing.T) {
	got, _ := run(t, profile.KindJS, "node", "p.js", nodeTimed, nil, "late", "itself")
	timed(t, got, "late", "itself")
}
