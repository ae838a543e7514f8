package growth

import (
	"strings"
	"testing"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/profile"
)

const page = `function distinct(n) {
  const seen = [];
  for (let i = 0; i < n; i++) {
    const name = 'name-' + i;
    if (!seen.includes(name)) seen.push(name);
  }
  return seen.length;
}
function first(seen) {
  return seen.shift();
}
function plain(n) {
  return n + 1;
}
`

func TestABuiltInOfV8IsToldByTheFunctionsText(t *testing.T) {
	table, err := primitive.Load()
	if err != nil {
		t.Fatal(err)
	}
	lines := func(path string) ([]string, bool) { return strings.Split(page, "\n"), path == "page.js" }
	js := func(name string, line int32) frame {
		return frame{name: name, file: "page.js", line: line, kind: profile.KindJS}
	}
	stub := frame{name: "V8::StubFrame", kind: profile.KindJS}
	for name, c := range map[string]struct {
		in    frame
		share float64
		line  int32
		does  primitive.Does
	}{
		"optimised: the first line": {js("distinct", 2), 600, 5, primitive.Searches},
		"the line itself":           {js("distinct", 5), 600, 5, primitive.Searches},
		"another operation":         {js("first", 10), 600, 10, primitive.Moves},
		"little":                    {js("distinct", 2), 300, 0, ""},
		"none is written there":     {js("plain", 13), 600, 0, ""},
		"no such line":              {js("distinct", 500), 600, 0, ""},
		"the text is not to be had": {frame{name: "f", file: "other.js", line: 5, kind: profile.KindJS}, 600, 0, ""},
	} {
		p := one(cost{0, c.share, 0, []frame{js("main", 30), c.in, stub}}, cost{0, 1000 - c.share, 0, []frame{js("main", 31)}})
		got := stubs(newFrames(p), table, lines)
		if c.line == 0 {
			if len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Line != c.line || got[0].Does != c.does || got[0].File != "page.js" || len(got[0].Samples) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The block of grep runs beside it.
func TestGrepOfALongList(t *testing.T) {
	perl := func(line int32) frame {
		return frame{name: "<top-level>", file: "report.pl", line: line, kind: profile.KindPerl}
	}
	begin := []frame{native("perl_run"), perl(8)}
	grep, block := append(begin[:2:2], native("Perl_pp_grepwhile")), append(begin[:2:2], native("Perl_pp_seq"))
	rest := []frame{native("perl_run"), perl(9)}
	if got := throughs(t, cost{0, 300, 0, grep}, cost{0, 300, 0, block}, cost{0, 400, 0, rest}); len(got) != 1 || got[0].Share != 0.6 || got[0].Line != 8 {
		t.Errorf("%+v", got)
	}
	if got := throughs(t, cost{0, 100, 0, grep}, cost{0, 500, 0, block}, cost{0, 400, 0, rest}); len(got) != 0 {
		t.Errorf("a short list: %+v", got)
	}
}
