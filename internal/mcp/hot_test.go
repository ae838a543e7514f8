package mcp

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/mcp/allow"
	"whyhot/internal/profile"
)

// pairs is a program whose samples are in a library and a runtime, but for a few; its lines
// pay for them. Two functions of it are called main, and one that is not its own.
func pairs(t *testing.T) string {
	t.Helper()
	b := profile.NewBuilder()
	frame := func(name, file string, kind profile.Kind, line int32) profile.LocationID {
		m := b.Mapping(profile.Mapping{Path: "/usr/bin/python3.11", Start: 1, Limit: 1 << 40})
		f := b.Function(profile.Function{Name: name, File: file, Mapping: m, Kind: kind})
		return b.Location(m, 0, kind, profile.Line{Function: f, Line: line})
	}
	own := func(name string, line int32) profile.LocationID {
		return frame(name, "/home/me/pairs.py", profile.KindPython, line)
	}
	var (
		main  = own("main", 80)
		match = frame("SequenceMatcher.ratio", "/usr/lib/python3.11/difflib.py", profile.KindPython, 620)
		free  = frame("Py_DECREF", "/build/Include/object.h", profile.KindNative, 537)
		site  = frame("main", "/usr/lib/python3.11/site.py", profile.KindPython, 599)
		tool  = own("Tool.main", 9)
	)
	for _, of := range []struct {
		stack []profile.LocationID
		count int64
	}{
		{[]profile.LocationID{free, match, own("best", 54), main}, 500},
		{[]profile.LocationID{match, own("best", 54), main}, 330},
		{[]profile.LocationID{free, own("best", 55), main}, 60},
		{[]profile.LocationID{own("best", 55), main}, 50},
		{[]profile.LocationID{free, site}, 20},
		{[]profile.LocationID{own("load", 12), tool}, 40},
	} {
		b.Sample(profile.Sample{Stack: b.Stack(of.stack), Count: of.count, Value: of.count})
	}
	var out bytes.Buffer
	if err := pprof.Write(&out, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func openPairs(t *testing.T) (a *agent, answer map[string]any) {
	t.Helper()
	a = newAgent(t, allow.File{}, nil)
	a.put("pairs.pb.gz", pairs(t))
	answer, failed := a.call(toolProfile, map[string]any{"file": "pairs.pb.gz"})
	if failed {
		t.Fatal(answer)
	}
	return a, answer
}

// rows are the elements of a list in an answer.
func rows(t *testing.T, of map[string]any, name string) (out []map[string]any) {
	t.Helper()
	list, ok := of[name].([]any)
	if !ok {
		t.Fatalf("no %s in %v", name, of)
	}
	for _, e := range list {
		out = append(out, e.(map[string]any)) //nolint:errcheck,forcetypeassert // its schema says so
	}
	return out
}

// The lines that lead are the program's own, with all that they pay for, though nearly no
// sample is on them.
func TestOwnLinesLead(t *testing.T) {
	_, answer := openPairs(t)
	own := rows(t, answer, "own")
	if len(own) != 3 {
		t.Fatalf("%v", own)
	}
	first, second := own[0], own[1]
	if first["line"] != 54.0 || first["file"] != "/home/me/pairs.py" || first["pays"] != 0.83 || first["into"] != "SequenceMatcher.ratio" {
		t.Errorf("%v", first)
	}
	if second["line"] != 55.0 || second["pays"] != 0.11 || second["into"] != "Py_DECREF" {
		t.Errorf("%v", second)
	}
	if answer["own_share"] != 0.98 {
		t.Errorf("own lines pay for %v", answer["own_share"])
	}
	leaves := rows(t, answer, "leaves")
	if len(leaves) != 2 || leaves[0]["function"] != "Py_DECREF" || leaves[0]["self"] != 0.58 || leaves[1]["function"] != "SequenceMatcher.ratio" {
		t.Errorf("%v", leaves)
	}
}

// Copies of a line that a compiler made are one.
func TestCopiesOfALineAreOne(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1, Limit: 1 << 40})
	for _, name := range []string{"sum<int>", "sum<long>"} {
		f := b.Function(profile.Function{Name: name, File: "/home/me/sum.h", Mapping: m, Kind: profile.KindNative})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(m, 0, profile.KindNative, profile.Line{Function: f, Line: 7})}), Count: 10, Value: 10})
	}
	a := newAgent(t, allow.File{}, nil)
	p := b.Build(profile.Meta{})
	own, covered := a.server.own(p, ownline.Of(p))
	if len(own) != 1 || own[0].Pays != 1 || own[0].Into != "" || covered != 1 {
		t.Errorf("%+v, %v", own, covered)
	}
}

// A line that chance may have put there is not listed, and tabs are no letters.
func TestOwnLinesWithinTheirErrorAreLeftOut(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1, Limit: 1 << 40})
	a := newAgent(t, allow.File{}, nil)
	file := filepath.Join(a.root, "app.c")
	a.put("app.c", "\n\t\twork();\n\tonce();\n")
	f := b.Function(profile.Function{Name: "main", File: file, Mapping: m, Kind: profile.KindNative})
	for line, count := range map[int32]int64{2: 398, 3: 2} {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(m, 0, profile.KindNative, profile.Line{Function: f, Line: line})}), Count: count, Value: count})
	}
	p := b.Build(profile.Meta{})
	own, covered := a.server.own(p, ownline.Of(p))
	if len(own) != 1 || own[0].Line != 2 || own[0].Text != "work();" || covered != 1 {
		t.Errorf("%+v, %v", own, covered)
	}
}

// The answer about a finding names the call that measures it.
func TestNextCall(t *testing.T) {
	for want, f := range map[string]finding.Finding{
		`try {"finding":"a-1","preload":["mimalloc"],"profile":"p1"}`: {ID: "a-1", Fix: finding.Fix{Preload: []string{"mimalloc", "jemalloc"}, Env: []string{"A=1"}}},
		`try {"env":["A=1"],"finding":"b-1","profile":"p1"}`:          {ID: "b-1", Fix: finding.Fix{Env: []string{"A=1", "B=2"}}},
		`edit, then try {"finding":"c-1","profile":"p1"}`:             {ID: "c-1"},
	} {
		if got := next("p1", &f); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	d := (&Server{}).depth(nil, &finding.Finding{Evidence: []finding.Evidence{{Kind: "symbol", Text: "f"}, {Kind: "symbol", Text: "f"}, {Kind: "symbol", Text: "g"}}, General: true})
	if len(d.Evidence) != 2 {
		t.Errorf("%v", d.Evidence)
	}
}

func TestFlagsAreSaidAsArguments(t *testing.T) {
	for text, want := range map[string]string{
		"could be anything; --budget 2m should tell":                                       "could be anything; budget 120 (seconds) should tell",
		"the budget of 15s has room for 11: --budget 40s":                                  "the budget of 15s has room for 11: budget 40 (seconds)",
		"others kept 1.7 CPUs busy; --metric cpu is less disturbed by that than wall time": "others kept 1.7 CPUs busy",
		"47% less time":                      "47% less time",
		"5 of 6 runs; --budget 4m should do": "5 of 6 runs; budget 240 (seconds; .whyhot.yaml allows 120: ask the user for the line budget: 240s) should do",
	} {
		if got := inArguments(text, 2*time.Minute); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Of several functions of a name, the one with most samples is meant, and the answer names
// the others.
func TestOneOfSeveralFunctions(t *testing.T) {
	a, answer := openPairs(t)
	p := answer["profile"]
	got, failed := a.call(toolSource, map[string]any{"profile": p, "function": "main"})
	lines := rows(t, got, "lines")
	if failed || len(lines) != 1 || lines[0]["file"] != "/home/me/pairs.py" || lines[0]["line"] != 80.0 || got["total"] != 0.94 {
		t.Errorf("%v", got)
	}
	notes, _ := got["notes"].([]any)
	if len(notes) == 0 || notes[0] != "the name can also mean main 2.0% (/usr/lib/python3.11/site.py), Tool.main 4.0% (/home/me/pairs.py)" {
		t.Errorf("%v", notes)
	}
	bound, failed := a.call(toolWhatIf, map[string]any{"profile": p, "function": "main"})
	if failed || bound["share"] != 0.94 || bound["notes"] == nil {
		t.Errorf("%v", bound)
	}
	none, failed := a.call(toolSource, map[string]any{"profile": p, "function": "nowhere"})
	if text, _ := none["error"].(string); !failed || strings.Contains(text, "whyhot top") || !strings.Contains(none["retry_with"].(string), `"best"`) { //nolint:errcheck,forcetypeassert // its schema says so
		t.Errorf("%v", none)
	}
}

// Lines of a function are ranked by all that they cost, those of a file by what they pay.
func TestRanksOfLines(t *testing.T) {
	a, answer := openPairs(t)
	for name, args := range map[string]map[string]any{"function": {"function": "best"}, "file": {"file": "/home/me/pairs.py"}} {
		args["profile"] = answer["profile"]
		got, failed := a.call(toolSource, args)
		if lines := rows(t, got, "lines"); failed || lines[0]["line"] != 54.0 || lines[1]["line"] != 55.0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What a finding is about comes as one line of the user's: the one that pays, or the caller
// of what the rule matched, where the files of a library do not tell that it is one.
func TestWhereOfAFinding(t *testing.T) {
	paid := []finding.HotLine{{File: "/home/me/app.c", Line: 41, Function: "save", Share: 0.75}}
	caller := []finding.Evidence{{Kind: callerKind, Text: "Mostly called from save (/home/me/app.c) (96% of it)"}}
	a := newAgent(t, allow.File{}, nil)
	for name, c := range map[string]struct {
		f          finding.Finding
		where, hot string
		pays       float64
	}{
		"a line that pays": {
			finding.Finding{Place: finding.Place{Function: "deflate", Binary: "/usr/lib/libz.so.1"}, PaidBy: paid, Evidence: caller},
			"/home/me/app.c:41 save", "deflate in /usr/lib/libz.so.1", 0.75,
		},
		"the place is the line": {finding.Finding{Place: finding.Place{File: "/home/me/app.c", Line: 41, Function: "save"}, Evidence: caller}, "/home/me/app.c:41 save", "", 0},
		"the same, shortened": {
			finding.Finding{Place: finding.Place{File: "a.h", Line: 1, Function: "put<int, std::less<int>>"}, Evidence: []finding.Evidence{{Kind: callerKind, Text: "Mostly called from put<…> in app (96% of it)"}}},
			"a.h:1 put<int, std::less<int>>", "", 0,
		},
		"no lines": {finding.Finding{Place: finding.Place{Function: "deflate"}, Evidence: caller}, "deflate; Mostly called from save (/home/me/app.c) (96% of it)", "", 0},
		"a library among the user's code": {
			finding.Finding{
				Place:  finding.Place{File: "App.java", Line: 9, Function: "void App.copy()"},
				PaidBy: []finding.HotLine{{File: "Bean.java", Line: 3, Function: "int Bean.get()", Share: 0.1}}, Evidence: []finding.Evidence{{Kind: "symbol", Text: "int Bean.get() (Bean.java)"}},
			},
			"App.java:9 void App.copy()", "Bean.java:3 int Bean.get()", 0,
		},
	} {
		where, hot, pays := a.server.where(&c.f)
		if strings.TrimSpace(where) != c.where || strings.TrimSpace(hot) != c.hot || pays != c.pays {
			t.Errorf("%s: %q, %q, %v", name, where, hot, pays)
		}
	}
}

// Where a change reaches further than the finding's own samples, both shares are given, and
// the bound is that of the larger one.
func TestReachBesideShare(t *testing.T) {
	share := 0.6
	f := finding.Finding{Share: finding.Share{Inclusive: &share}}
	if got := reachOf(&f); got != 0.6 {
		t.Errorf("%v", got)
	}
	f.Gain = &finding.Gain{Low: 0.5, High: 0.7, Reach: 0.8}
	if got := reachOf(&f); got != 0.8 {
		t.Errorf("%v", got)
	}
	if got := most(&f, 1000); got <= 0.8 || got > 0.83 {
		t.Errorf("with its error, %v", got)
	}
}
