package term

import (
	"bytes"
	"strings"
	"testing"

	"whyhot/internal/finding"
)

func TestHotLinesAreShown(t *testing.T) {
	share, margin := 0.67, 0.03
	u := finding.Unexplained{
		Place:   finding.Place{Function: "score", File: "/p/src/board.cpp", Line: 5, Binary: "/p/app"},
		Share:   finding.Share{Exclusive: &share, Error: &margin},
		Machine: []finding.Activity{{What: "divisions", Share: 0.4}},

		Statements: []finding.HotStatement{{Text: "SELECT a FROM t\x1b[2J", Share: 0.3}},
		Looked:     "99 entries were checked.", See: []finding.Command{{Verb: "lines", Args: []string{"p.pb.gz", "score"}}},
		Lines: []finding.HotLine{{
			File: "/p/src/board.cpp", Line: 8, Text: "\ts += w[c];\x1b[2J", Function: "at", Share: 0.5,
			Instructions: []finding.HotInstruction{{Text: "divsd %xmm1,%xmm0", Share: 0.4}},
		}},
	}
	u.Callers = []finding.HotLine{
		{File: "/p/src/board.cpp", Line: 30, Function: "int best(Board const&)", Share: 0.66}, {File: "/p/src/main.cpp", Line: 4, Function: "main", Share: 0.4},
	}
	wide := finding.Unexplained{Place: finding.Place{Function: "features"}, Share: finding.Share{Inclusive: &share}, Spread: 6, Lines: []finding.HotLine{{File: "/p/src/lexer.cpp", Line: 4, Function: "statement", Share: 0.3}}}
	var out bytes.Buffer
	p := New(&out, nil)
	p.Unexplained(finding.Report{Unexplained: []finding.Unexplained{u, wide}})
	for _, want := range []string{"67.0% ± 3", "score", "src/board.cpp:8", "s += w[c];", "(at, inlined)", "divsd %xmm1,%xmm0", "divisions 40.0%", "30.0%  SELECT a FROM t", "99 entries", "whyhot lines p.pb.gz score",
		"called at src/board.cpp:30 (best) ← src/main.cpp:4 (main, 40.0%)", "features, spread over 6 functions that it calls; asked for at", "src/lexer.cpp:4  (statement)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b[2J") {
		t.Error("text of the source reaches the terminal as it is")
	}
	out.Reset()
	p.Unexplained(finding.Report{Unexplained: []finding.Unexplained{u}, Looked: "99 entries were checked."})
	if strings.Contains(out.String(), "99 entries") {
		t.Errorf("what \"No finding\" tells above is told again:\n%s", out.String())
	}
	out.Reset()
	if p.Unexplained(finding.Report{}); out.Len() > 0 {
		t.Errorf("a heading over nothing: %q", out.String())
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"go.starlark.net/starlark.(*Set).IsSubset":             "starlark.(*Set).IsSubset",
		"go.starlark.net/starlark.setFromIterator":             "starlark.setFromIterator",
		"pugi::impl::(anonymous namespace)::strconcat(char*)":  "pugi::impl::(anonymous namespace)::strconcat",
		"void org.jsoup.parser.Parser.parse(java.lang.String)": "org.jsoup.parser.Parser.parse",
		"best": "best",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
