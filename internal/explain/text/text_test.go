package text

import (
	"slices"
	"strings"
	"testing"
)

// source is a file whose lines with a mark (@1, @2) at their ends are asked about.
func source(t *testing.T, path, code string) (f *File, at func(mark string) int) {
	t.Helper()
	lines := strings.Split(strings.Trim(code, "\n"), "\n")
	marks := map[string]int{}
	for i, l := range lines {
		if n := strings.LastIndex(l, "@"); n >= 0 && len(l)-n == 2 {
			marks[l[n:]] = i + 1
			lines[i] = strings.TrimRight(l[:n], " ")
		}
	}
	f, ok := Read(path, lines)
	if !ok {
		t.Fatalf("%s is of no known language", path)
	}
	return f, func(mark string) int {
		if marks[mark] == 0 {
			t.Fatalf("no %s in %s", mark, path)
		}
		return marks[mark]
	}
}

// programs have a line @1 in a loop that begins at @2, in a function that begins at @3. In the
// loop, item changes, and limit does not.
var programs = map[string]string{
	"a.py": `
def total(items, limit):  @3
    """for x in y:
    of """
    n = 0
    for item in items:  @2
        # item by item
        if n:
            n += cost(item,
                      limit)  @1
    return n
`,
	"b.c": `
static int total(struct item *items, int limit)  @3
{
    int n = 0;
    for (struct item *item = items; item; item = item->next)  @2
    {
        if (item->open) {
            n += cost(item, limit);  @1
        }
    }
    return n;
}
`,
	"c.js": `
export async function total(items, limit) {  @3
  let n = 0;
  for (const item of items) {  @2
    n += cost(item, limit);  @1
  }
  return n;
}
`,
	"d.ts": `
const total = (items: Item[], limit: number): number => {  @3
  let n = 0;
  items.forEach((item) => {  @2
    if (item.open) {
      n += cost(item, limit);  @1
    }
  });
  return n;
};
`,
	"e.rb": `
class Cart
  def total(items, limit)  @3
    n = 0
    items.each do |item|  @2
      n += cost(item, limit) if item.open?  @1
    end
    n
  end
end
`,
	"f.php": `
<?php
class Cart {
    public function total(array $items, int $limit): int  @3
    {
        foreach ($items as $item) {  @2
            $n += cost($item, $limit);  @1
        }
        return $n;
    }
}
`,
	"g.pl": `
sub total {  @3
    my ($items, $limit) = @_;
    foreach my $item (@$items) {  @2
        $n += cost($item, $limit);  @1
    }
}
`,
	"h.lua": `
local function total(items, limit)  @3
  local n = 0
  for _, item in ipairs(items) do  @2
    n = n + cost(item, limit)  @1
  end
  return n
end
`,
	"i.R": `
total <- function(items, limit) {  @3
  n <- 0
  for (item in items) {  @2
    n <- n + cost(item, limit)  @1
  }
  n
}
`,
	"j.go": `
func (c *Cart) Total(items []Item, limit int) (n int) {  @3
	for _, item := range items {  @2
		n += cost(item, limit)  @1
	}
	return n
}
`,
	"k.rs": `
pub fn total(items: &[Item], limit: u32) -> u32 {  @3
    let mut n = 0;
    for item in items {  @2
        n += cost(item, limit);  @1
    }
    n
}
`,
	"L.java": `
final class Cart {
    int total(List<Item> items, int limit) throws Failure {  @3
        int n = 0;
        for (Item item : items) {  @2
            n += cost(item, limit);  @1
        }
        return n;
    }
}
`,
	"m.cs": `
class Cart
{
    public int Total(List<Item> items, int limit)  @3
    {
        var n = 0;
        foreach (var item in items)  @2
        {
            n += cost(item, limit);  @1
        }
        return n;
    }
}
`,
	"n.kt": `
class Cart {
    fun total(items: List<Item>, limit: Int): Int {  @3
        var n = 0
        items.forEach { item ->  @2
            n += cost(item, limit)  @1
        }
        return n
    }
}
`,
	"o.scala": `
object Cart {
  def total(items: Seq[Item], limit: Int): Int = {  @3
    var n = 0
    for (item <- items) {  @2
      n += cost(item, limit)  @1
    }
    n
  }
}
`,
	"p.cpp": `
int Cart::total(const std::vector<Item>& items, int limit) const {  @3
  int n = 0;
  for (const auto& item : items)  @2
    n += cost(item, limit);  @1
  return n;
}
`,
	"q.ml": `
let rec total item limit n =  @3
  match item with
  | None -> n
  | Some item ->
    total (next item) limit (n + cost item limit)
`,
	"r.ex": `
defmodule Cart do
  def total(items, limit) do  @3
    Enum.map(items, fn item ->  @2
      cost(item, limit)  @1
    end)
  end
end
`,
}

func TestLoopsAndFunctions(t *testing.T) {
	for path, code := range programs {
		f, at := source(t, path, code)
		if path == "q.ml" { // a function that calls itself is the loop
			loops := f.Loops(5)
			if len(loops) != 1 || loops[0].First != 1 {
				t.Errorf("%s: loops %v", path, loops)
			}
			continue
		}
		line := at("@1")
		loops := f.Loops(line)
		if len(loops) != 1 || loops[0].First != at("@2") || loops[0].Last < line {
			t.Errorf("%s: loops %+v, want one from line %d", path, loops, at("@2"))
			continue
		}
		fn, ok := f.Function(line)
		if !ok || fn.First != at("@3") || !strings.EqualFold(fn.Name[strings.LastIndexAny(fn.Name, ":.")+1:], "total") {
			t.Errorf("%s: function %+v, %v, want total from line %d", path, fn, ok, at("@3"))
		}
		_, own := f.Statement(line)
		sigil := ""
		if path == "f.php" || path == "g.pl" {
			sigil = "$"
		}
		if !f.Changes(sigil+"item", loops[0].Range, own) {
			t.Errorf("%s: item does not change", path)
		}
		for _, name := range []string{"limit", "items"} {
			if f.Changes(sigil+name, loops[0].Range, own) {
				t.Errorf("%s: %s changes", path, name)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	want := map[string]string{
		"f.php": "$items $limit", "g.pl": "$items $limit", "j.go": "c items limit", "q.ml": "",
	}
	for path, code := range programs {
		f, at := source(t, path, code)
		line := 5
		if path != "q.ml" {
			line = at("@1")
		}
		fn, _ := f.Function(line)
		w, special := want[path]
		if !special {
			w = "items limit"
		}
		if got := strings.Join(f.Parameters(fn), " "); got != w {
			t.Errorf("%s: %q, want %q", path, got, w)
		}
	}
	if got := Arguments(`a, f(b, c), Map<K, V> d, [1, 2]`); len(got) != 4 || got[1] != "f(b, c)" || got[2] != "Map<K, V> d" {
		t.Errorf("%q", got)
	}
}

func TestStatement(t *testing.T) {
	f, _ := source(t, "a.js", `
const a = load(
  "x, (",  // of (
  { b: 1,
    c: 2 },
);
items
  .filter(x => x)
  .map(y => y);
run(() => {
  other();
});
`)
	for line, want := range map[int]Range{1: {1, 5}, 3: {1, 5}, 5: {1, 5}, 6: {6, 8}, 8: {6, 8}, 9: {9, 9}, 10: {10, 10}} {
		if _, got := f.Statement(line); got != want {
			t.Errorf("line %d: %v, want %v", line, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	for statement, want := range map[string]string{
		`const v = ajv.compile(schema);`:              "ajv.compile on ajv: schema",
		`x = new ObjectMapper().readValue(text, T)`:   "new ObjectMapper on :  | readValue on ): text, T",
		`self.tpl = Environment(loader=L).get(name)`:  "Environment on : loader=L | get on ): name",
		`if (strcmp(a->name, b) == 0)`:                "strcmp on : a->name, b",
		`return std::make_unique<Foo>(a, b);`:         "std::make_unique on std: a, b",
		`$n += $this->cost($item, f(2));`:             "$this->cost on $this: $item, f(2) | f on : 2",
		`loc, err := time.LoadLocation("   ")`:        `time.LoadLocation on time: "   "`,
		`for (int i = 0; i < strlen(s); i++) {`:       "strlen on : s",
		`rows = bookings[bookings["        "] == n]`:  "",
		`Regex::new(r"  ").unwrap().is_match(line)`:   `Regex::new on Regex: r"  " | unwrap on ):  | is_match on ): line`,
		`x.each { |y| puts Nokogiri::HTML(y) }`:       "Nokogiri::HTML on Nokogiri: y",
		`m = ITEMS.find(x => x.id === id && f(x))`:    "ITEMS.find on ITEMS: x => x.id === id && f(x) | f on : x",
		`auto re = std::regex(pattern, flags::icase)`: "std::regex on std: pattern, flags::icase",
	} {
		var got []string
		for _, c := range Calls(statement) {
			got = append(got, c.Name+" on "+c.On+": "+c.Args)
		}
		if s := strings.Join(got, " | "); s != want {
			t.Errorf("%s\n got %s\nwant %s", statement, s, want)
		}
	}
}

func TestNames(t *testing.T) {
	for expression, want := range map[string]string{
		`a.b(c), d[" "], f(g)`:         "a c d g",
		`self.tpl, x`:                  "self.tpl x",
		`$this->map, $x[' '], count`:   "$this->map $x count",
		`text, indent=2, key=order.id`: "text order",
		`{name: x, " ": y}`:            "x y",
		`@items, 3, nil`:               "@items",
		`s->next, &buf, Foo::bar`:      "s buf",
		`new Foo(a ? b : c)`:           "a b c",
		`EdgeWeight(in), is, of->next`: "in is of",
		`x in rows and not y, a as b`:  "x rows y a b",
	} {
		if got := Names(expression); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", expression, got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	for _, test := range []struct {
		path, code, name string
		want             bool
	}{
		{"a.py", "x = 1", "x", true},
		{"a.py", "y = x", "x", false},
		{"a.py", "if x == 1:", "x", false},
		{"a.py", "x.append(3)", "x", true},
		{"a.py", "n = x.count(3)", "x", false},
		{"a.py", "x[2] = 3", "x", true},
		{"a.py", "f(x=3)", "x", true}, // taken for an assignment: too little is said
		{"a.py", "a, x = f()", "x", true},
		{"a.py", "for a, x in y.items():", "x", true},
		{"a.py", "with open(p) as x:", "x", true},
		{"a.py", "self.x = 3", "self.x", true},
		{"a.py", "z = self.x", "self.x", false},
		{"a.js", "const { a, x } = y;", "x", true},
		{"a.js", "ys.map((a, x) => a)", "x", true},
		{"a.js", "const y = x.map(z => z)", "x", false},
		{"a.js", "x.y.z = 3;", "x", true},
		{"a.js", "x++", "x", true},
		{"a.c", "int x;", "x", true},
		{"a.c", "read_all(&x);", "x", true},
		{"a.c", "return x;", "x", false},
		{"a.c", "y = x->z;", "x", false},
		{"a.c", "struct foo x = {0};", "x", true},
		{"a.cc", "std::string x(name);", "x", true},
		{"a.go", "x, err := f()", "x", true},
		{"a.go", "for i, x := range y {", "y", false},
		{"a.go", "sort.Strings(x)", "x", true},
		{"a.rb", "ys.each { |a, x| a }", "x", true},
		{"a.rb", "x << 3", "x", false},
		{"a.pl", "push @x, 3;", "@x", true},
		{"a.pl", "my ($a, $x) = @_;", "$x", true},
		{"a.pl", "foreach my $y (@x) {", "@x", false},
		{"a.php", "foreach ($x as $k => $v) {", "$x", false},
		{"a.php", "foreach ($y as $k => $x) {", "$x", true},
		{"a.sh", "while read -r x; do", "x", true},
		{"a.R", "x$y[i] <- 3", "x", true},
		{"a.tcl", "foreach x $y {", "y", false},
		{"a.go", "version(x, d)", "x", true},
		{"a.go", "n := store.Put(x)", "x", false},
		{"a.go", "fmt.Println(x)", "x", false},
		{"a.hs", "let x = f y", "x", true},
	} {
		f, _ := Read(test.path, []string{test.code})
		if got := f.Changes(test.name, Range{1, 1}, Range{}); got != test.want {
			t.Errorf("%s: %s changes %s: %v", test.path, test.code, test.name, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for path, code := range programs {
		f.Add(path, code)
	}
	f.Fuzz(func(t *testing.T, path, code string) {
		file, ok := Read(path, strings.Split(code, "\n"))
		if !ok {
			return
		}
		for n := range min(len(file.Lines), 40) {
			file.Loops(n + 1)
			file.Function(n + 1)
			statement, lines := file.Statement(n + 1)
			if !lines.Has(n + 1) {
				t.Fatalf("line %d is in no statement: %v", n+1, lines)
			}
			for _, c := range Calls(statement) {
				Names(c.Args)
			}
		}
	})
}

// Names of values that stand in a text are left: another value is another text.
func TestNamesInTexts(t *testing.T) {
	for _, c := range []struct{ path, line, want string }{
		{"a.py", `x = get(f"{kind}.html", "{kind}")`, `x = get(f" kind      ", "      ")`},
		{"a.py", `x = f'{order.id:05} {{no}} {price!r}'`, `x = f' order.id             price   '`},
		{"a.py", `x = rf"\d{n}" + leaf"{n}"`, `x = rf"   n " + leaf"   "`},
		{"a.js", "x = get(`${dir}/${file.name}.txt`, '${no}')", "x = get(`  dir    file.name     `, '     ')"},
		{"a.rb", `x = get("#{dir}/#{row[:key]}", '#{no}')`, `x = get("  dir    row  key  ", '     ')`},
		{"a.php", `$x = get("$dir/{$file->name} $a", '$no')`, `$x = get("$dir  $file        $a", '   ')`},
		{"a.pl", `my $x = get("$dir/${name}.txt @all", '$no');`, `my $x = get("$dir $ name      @all", '   ');`},
		{"a.sh", `x=$(get "$dir/${name}.txt" '$no')`, `x=$(get "$dir $ name     " '   ')`},
		{"a.cs", `var x = Get($"{dir}/{n:0.00}", "{no}");`, `var x = Get($" dir   n      ", "    ");`},
		{"a.kt", `val x = get("$dir/${file.name}")`, `val x = get(" dir   file.name ")`},
		{"a.rs", `let x = get(&format!("{dir}/{n:05}/{}", m));`, `let x = get(&format!(" dir   n       ", m));`},
		{"a.go", `x := get("{dir}$dir")`, `x := get("         ")`},
	} {
		f, ok := Read(c.path, []string{c.line})
		if !ok {
			t.Fatal(c.path)
		}
		if got := f.Code(1); got != c.want {
			t.Errorf("%s: %s\n gives %s\n want  %s", c.path, c.line, got, c.want)
		}
	}
}

// What a preprocessor reads and labels of goto stand at the margin: the function goes on after them.
func TestDirectivesWithinAFunction(t *testing.T) {
	f, at := source(t, "a.c", `
static int find(struct table *t, int key)
{
    int n = 0;
#ifdef WITH_HINTS
    n = t->hint;
#define NEXT(x) \
((x) + 1)
#endif
    for (; n < t->size; n++) {  @1
# if 0
        trace(n);
# endif
again:
        if (t->keys[n] == key)  @2
            return n;
    }
out:
    return -1;  @3
}
static int other(void)
{
    return 1;  @4
}
`)
	for _, mark := range []string{"@1", "@2", "@3"} {
		if fn, ok := f.Function(at(mark)); !ok || fn.Name != "find" || fn.Last < at("@3") {
			t.Errorf("%s: %+v %v", mark, fn, ok)
		}
	}
	if fn, ok := f.Function(at("@4")); !ok || fn.Name != "other" {
		t.Errorf("%+v %v", fn, ok)
	}
	if loops := f.Loops(at("@2")); len(loops) != 1 || loops[0].First != at("@1") || loops[0].Last < at("@2")+1 {
		t.Errorf("%+v", loops)
	}
}
