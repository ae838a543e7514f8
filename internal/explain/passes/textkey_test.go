package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestTextsAsKeys(t *testing.T) {
	checkAll(t, map[string]written{
		"a template of JavaScript, by name": {"/me/a.js", "\nfunction fill(cells) {\n  for (const [x, y] of cells) {\n    const key = `${x},${y}`;  @1\n    if (seen.has(key)) continue;\n    show(x);  @3\n  }\n}\n",
			"fill@1", "fill@3", profile.KindJS, RuleTextKey, "@1 made for"},
		"a function that gives it": {"/me/a.js", "\nconst key = (x, y) => `${x},${y}`;  @1\nfunction fill(cells) {\n  for (const [x, y] of cells) {\n    if (grid.get(key(x + 1, y))) show(x);  @3\n  }\n}\n",
			"key@1", "fill@3", profile.KindJS, RuleTextKey, "@1 made for"},
		"added up": {"/me/a.js", `
function fill(cells) {
  for (const c of cells) {
    if (visited[c.x + ',' + c.y]) continue;  @1
    show(c);  @3
  }
}
`, "fill@1", "fill@3", profile.KindJS, RuleTextKey, "@1 made for"},
		"optimised, without lines": {"/me/a.js", "\nfunction fill(cells) {  @1\n  for (const [x, y] of cells) {\n    const key = `${x},${y}`;  @2\n    if (seen.has(key)) continue;\n    show(x);  @3\n  }\n}\n",
			"fill@1 V8::StubFrame", "fill@3", profile.KindJS, RuleTextKey, "@2 made for"},
		"optimised, and other work": {"/me/a.js", "\nfunction fill(cells) {  @1\n  for (const [x, y] of cells) {\n    const key = `${x},${y}`;  @2\n    if (seen.has(key)) continue;\n    show(x);  @3\n  }\n}\n",
			"fill@1 sort", "fill@3", profile.KindJS, "", ""},
		"an f-string of Python": {"/me/a.py", `
def fill(cells):
    for x, y in cells:
        if f"{x}:{y}" in seen:  @1
            continue
        show(x)  @3
`, "fill@1", "fill@3", profile.KindPython, RuleTextKey, "@1 made for"},
		"by a method": {"/me/a.py", `
class Grid:
    def key(self, x, y):
        return "%d,%d" % (x, y)  @1

    def fill(self, cells):
        for x, y in cells:
            k = self.key(x, y)
            if k in self.seen:
                continue
            show(x)  @3
`, "key@1", "fill@3", profile.KindPython, RuleTextKey, "@1 made for"},
		"Sprintf of Go": {"/me/a.go", `
func fill(cells []cell) {
	for _, c := range cells {
		key := fmt.Sprintf("%d:%d", c.x, c.y)  @1
		if _, ok := seen[key]; ok {
			continue
		}
		show(c)  @3
	}
}
`, "fill@1 fmt.Sprintf", "fill@3", profile.KindGo, RuleTextKey, "@1 made for"},
		"by a method of what is made for it": {"/me/a.go", `
func (c Cell) Key() string {
	return fmt.Sprintf("%d/%d", c.X, c.Y)  @1
}

func (ix *Index) Around(v *Vehicle) {
	c := cellOf(v.X, v.Y)
	for dx := -1; dx <= 1; dx++ {
		for _, o := range ix.cells[Cell{c.X + dx, c.Y}.Key()] {
			visit(o)  @3
		}
	}
}
`, "Around@3 Cell.Key@1 fmt.Sprintf", "Around@3", profile.KindGo, RuleTextKey, "@1 made for"},
		"in Java": {"/me/A.java", `
class A {
  void fill(List<Cell> cells) {
    for (Cell c : cells) {
      total.merge(c.x + ":" + c.y, 1, Integer::sum);  @1
      show(c);  @3
    }
  }
}
`, "fill@1", "fill@3", profile.KindJava, RuleTextKey, "@1 made for"},
		"in C++": {"/me/a.cpp", `
void fill(const std::vector<cell> &cells) {
  for (const cell &c : cells) {
    std::string key = std::to_string(c.x) + "," + std::to_string(c.y);  @1
    if (seen.count(key)) continue;
    show(c);  @3
  }
}
`, "fill@1 std::to_string", "fill@3", profile.KindNative, RuleTextKey, "@1 made for"},
		"in Rust": {"/me/a.rs", `
fn fill(cells: &[Cell]) {
    for c in cells {
        *counts.entry(format!("{}:{}", c.x, c.y)).or_insert(0) += 1;  @1
        show(c);  @3
    }
}
`, "fill@1", "fill@3", profile.KindNative, RuleTextKey, "@1 made for"},
		"in Ruby": {"/me/a.rb", `
def fill(cells)
  cells.each do |x, y|
    seen["#{x},#{y}"] = true  @1
    show(x)  @3
  end
end
`, "fill@1", "fill@3", profile.KindRuby, RuleTextKey, "@1 made for"},
		"in PHP": {"/me/a.php", `
<?php
function fill($cells) {
    foreach ($cells as [$x, $y]) {
        $key = $x . ',' . $y;  @1
        if (isset($seen[$key])) continue;
        show($x);  @3
    }
}
`, "fill@1", "fill@3", profile.KindPHP, RuleTextKey, "@1 made for"},
		"in Perl": {"/me/a.pl", `
sub fill {
    for my $c (@cells) {
        next if $seen{"$c->[0],$c->[1]"}++;  @1
        show($c);  @3
    }
}
`, "fill@1", "fill@3", profile.KindPerl, RuleTextKey, "@1 made for"},
		"printed": {"/me/a.py", `
def fill(cells):
    for x, y in cells:
        line = f"{x}:{y}"  @1
        out.append(line)
        show(x)  @3
`, "fill@1", "fill@3", profile.KindPython, "", ""},
		"the message of an error": {"/me/a.go", `
func fill(cells []cell) {
	for _, c := range cells {
		text := fmt.Sprintf("%d:%d", c.x, c.y)  @1
		lines = append(lines, text)
		show(c)  @3
	}
}
`, "fill@1 fmt.Sprintf", "fill@3", profile.KindGo, "", ""},
		"a key of another process": {"/me/a.py", `
def fill(ids):
    for id in ids:
        key = f"user:{id}"  @1
        row = redis.get(key)
        show(row)  @3
`, "fill@1", "fill@3", profile.KindPython, "", ""},
		"what is kept takes the time": {"/me/a.py", `
def fill(ids):
    for id in ids:
        kept[f"user:{id}"] = json.loads(texts[id])  @1
        show(id)  @3
`, "fill@1", "fill@3", profile.KindPython, "", ""},
		"a list of texts": {"/me/a.js", "\nfunction fill(cells) {\n  for (const [x, y] of cells) {\n    out = [`${x},${y}`];  @1\n    show(x);  @3\n  }\n}\n",
			"fill@1", "fill@3", profile.KindJS, "", ""},
		"numbers added up": {"/me/a.js", `
function fill(cells) {
  for (const c of cells) {
    if (visited[c.x * height + c.y]) continue;  @1
    show(c);  @3
  }
}
`, "fill@1", "fill@3", profile.KindJS, "", ""},
	})
}
