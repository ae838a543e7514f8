package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// flags is a program with two loops over a member of type std::vector<bool>. Of
// its samples 30 are on the first loop's line without a frame that says so, as gcc
// leaves them, 15 in the second, in frames of the library, 5 in frames that no
// loop has, and 35 in malloc.
func flags(t *testing.T) (*profile.Profile, *source.Build) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "a.cpp", strings.Repeat("//\n", 40))
	write(t, dir, "compile_commands.json", `[{"directory": "`+dir+`", "file": "a.cpp", "command": "c++ -O2 -c a.cpp"}]`)
	span := func(line int) string {
		return fmt.Sprintf(`{"file": "%s/a.cpp", "line": %d, "column": 3, "end_line": %d, "end_column": 9, "text": "seen[i]"}`, dir, line, line+1)
	}
	loop := func(line int) string {
		return fmt.Sprintf(`{"rule": "vector-bool", "function": "f", "linkage": "_Z1fv", "in_loop": true, "location": "Graph::seen",
			"place": %s, "first": %s, "notes": ["one bit"], "written": {"type": "bool", "declaration": "Graph::seen", "scope": "project", "where": %s}}`, span(line), span(line), span(2))
	}
	reply := strings.NewReplacer("\n", "", "\t", "").Replace(`{"matches": [` + loop(10) + "," + loop(20) + "," + loop(30) + `]}`)
	script := filepath.Join(t.TempDir(), "analyser")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nwhile read -r request; do\ncat <<'END'\n"+reply+"\nEND\ndone\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WHYHOT_ANALYZER", script)

	b := profile.NewBuilder()
	app, libc := b.Mapping(profile.Mapping{Path: "/bin/app"}), b.Mapping(profile.Mapping{Path: "/usr/lib/libc.so.6"})
	function := func(m profile.MappingID, name, file string) profile.FunctionID {
		return b.Function(profile.Function{Name: name, File: file, Mapping: m, Kind: profile.KindNative})
	}
	f := function(app, "f", filepath.Join(dir, "a.cpp"))
	bits := function(app, "std::vector<bool, std::allocator<bool> >::operator[]", "/usr/include/c++/12/bits/stl_bvector.h")
	sample := func(at uint64, n int64, m profile.MappingID, lines ...profile.Line) {
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(m, at, profile.KindNative, lines...)}), Count: n, Value: n})
	}
	sample(0x100, 300, app, profile.Line{Function: f, Line: 11})
	sample(0x200, 150, app, profile.Line{Function: bits, Line: 900}, profile.Line{Function: f, Line: 20})
	sample(0x300, 50, app, profile.Line{Function: bits, Line: 901}, profile.Line{Function: f, Line: 35})
	sample(0x400, 350, libc, profile.Line{Function: function(libc, "_int_malloc", "")})
	sample(0x500, 150, app, profile.Line{Function: f, Line: 36})
	build, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}}), build
}

// holdsRules asks whether findings are those of the rules, in any order: which of two
// pays more depends on what the catalogue has measured.
func holdsRules(findings []finding.Finding, rules ...string) bool {
	var have []string
	for _, f := range findings {
		have = append(have, f.Rule)
	}
	slices.Sort(have)
	return slices.Equal(have, rules)
}

func TestOneCauseIsOneFinding(t *testing.T) {
	p, build := flags(t)
	rules := builtin(t)
	alone, err := Explain(t.Context(), Request{Profile: p, Rules: rules})
	if err != nil || !holdsRules(alone.Findings, "glibc-malloc", "vector-bool") {
		t.Fatalf("without the source: %+v, %v", alone.Findings, err)
	}
	r, err := Explain(t.Context(), Request{Profile: p, Rules: rules, Source: &SourceRequest{Build: build, Options: source.Options{NoCache: true}}})
	if err != nil || len(r.Findings) != 2 {
		t.Fatalf("one cause and malloc are two findings: %+v, %v", r.Findings, err)
	}
	f := r.Findings[0]
	if f.Rule != "vector-bool" || f.Share.Main() != 0.5 || f.Certainty != finding.Confirmed || f.Gain == nil {
		t.Errorf("%s has %.2f, %s, gain %v: the lines and the frames together have half", f.Rule, f.Share.Main(), f.Certainty, f.Gain)
	}
	if len(f.Sites) != 3 || f.Sites[0].Line != 10 || *f.Sites[0].Share != 0.3 || f.Sites[1].Line != 20 || f.Sites[2].Kind != finding.SiteDeclaration {
		t.Errorf("sites %+v: the two hot loops and the declaration", f.Sites)
	}
	if f.Place.Line != 10 || f.Place.Binary != "/bin/app" {
		t.Errorf("place %+v", f.Place)
	}
	if !strings.Contains(f.Next.String(), "--fix "+f.ID) {
		t.Errorf("next %q", f.Next)
	}

	// It is the same finding wherever it is asked for.
	scan, err := Scan(t.Context(), ScanRequest{Build: build, Rules: rules, Options: source.Options{NoCache: true}})
	if err != nil || len(scan.Findings) != 1 || scan.Findings[0].ID != f.ID || len(scan.Findings[0].Sites) != 4 {
		t.Errorf("scan: %+v, %v", scan.Findings, err)
	}
	found, err := Find(t.Context(), Request{Profile: p, Path: "p", Rules: rules}, f.ID)
	if err != nil || found.Rule != "vector-bool" {
		t.Errorf("by the profile alone: %+v, %v", found, err)
	}
}

// What no finding may advise: a byte of a type whose stores change everything.
func TestNoAdviceThatAliases(t *testing.T) {
	p, build := flags(t)
	rules := builtin(t)
	scan, err := Scan(t.Context(), ScanRequest{Build: build, Rules: rules, Options: source.Options{NoCache: true}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Explain(t.Context(), Request{Profile: p, Rules: rules, Source: &SourceRequest{Build: build, Options: source.Options{NoCache: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(scan.Findings, r.Findings...) {
		for _, step := range f.Fix.Steps {
			for _, bad := range []string{"vector<char>", "vector<std::uint8_t>", "vector<uint8_t>", "vector<unsigned char>"} {
				if strings.Contains(step, bad) {
					t.Errorf("%s advises %s: %s", f.ID, bad, step)
				}
			}
		}
	}
}
