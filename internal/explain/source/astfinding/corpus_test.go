package astfinding

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

var (
	expectComment = regexp.MustCompile(`// expect: (.*)`)
	flagsComment  = regexp.MustCompile(`// flags: (.*)`)
)

// expectation is one rule at one line.
type expectation struct {
	line int
	rule string
}

func expectations(text string) (want map[expectation]bool, flags []string) {
	want = map[expectation]bool{}
	for i, l := range strings.Split(text, "\n") {
		if m := expectComment.FindStringSubmatch(l); m != nil {
			for r := range strings.FieldsSeq(m[1]) {
				want[expectation{i + 1, r}] = true
			}
		}
		if m := flagsComment.FindStringSubmatch(l); m != nil {
			flags = strings.Fields(m[1])
		}
	}
	return want, flags
}

func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "analyzer", "test", "ast", "*.c*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return files
}

func TestCorpus(t *testing.T) {
	binary := analyzertest.Path(t)
	hits, wrong, missed := 0, 0, 0
	for _, file := range corpus(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, flags := expectations(string(text))
		for _, m := range matchesOf(t, binary, file, flags) {
			e := expectation{m.Place.Line, m.Rule}
			switch known, expected := want[e]; {
			case !expected:
				wrong++
				t.Errorf("%s:%d: %s is not expected: %q", filepath.Base(file), e.line, e.rule, m.Location)
				want[e] = false
			case known:
				hits++
				want[e] = false // several locations of one loop count once
			}
		}
		for e, open := range want {
			if open {
				missed++
				t.Errorf("%s:%d: %s is missing", filepath.Base(file), e.line, e.rule)
			}
		}
	}
	t.Logf("%d right, %d wrong, %d missed: precision %.3f, recall %.3f", hits, wrong, missed,
		float64(hits)/float64(hits+wrong), float64(hits)/float64(hits+missed))
}

func matchesOf(t *testing.T, binary, file string, flags []string) []analyzer.Match {
	t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := []string{"clang++", "-std=c++20"}
	if filepath.Ext(file) == ".c" {
		compiler = []string{"clang"}
	}
	unit, err := compdb.FromCommand(filepath.Dir(abs), "", slices.Concat(compiler, []string{"-O2"}, flags, []string{"-c", abs}))
	if err != nil {
		t.Fatal(err)
	}
	var out []analyzer.Match
	opts := analyzer.Options{Binary: binary, Workers: 1, AST: analyzer.ASTRequest{Layers: []string{analyzer.LayerAST}}}
	err = analyzer.Run(t.Context(), []compdb.Unit{unit}, opts, func(o analyzer.Outcome) {
		if o.Err != nil || len(o.Reply.Errors) > 0 {
			t.Errorf("%s: %v %v", file, o.Err, o.Reply.Errors)
		}
		out = o.Reply.Matches
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
