package whatif

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

func TestWishesThatCannotBe(t *testing.T) {
	for _, w := range []Wish{{Findings: []string{"nonsense"}}, {Findings: []string{"a.cpp:3"}, World: "other"}} {
		if w.Check() == nil {
			t.Errorf("%+v is taken", w)
		}
	}
	if w := (Wish{Findings: []string{"a.cpp:3"}, World: Hoisted}); w.Check() != nil || !w.Asked() {
		t.Errorf("%+v: %v", w, w.Check())
	}
}

func counterfactual(id string, c finding.Certainty, line int) source.Counterfactual {
	return source.Counterfactual{
		Finding: finding.Finding{ID: id, Certainty: c}, World: Hoisted, Predicate: "char",
		Loops: [][]source.Point{{{File: "/lib/inner.h", Line: 1}, {File: "/src/./a.cpp", Line: line, Column: 2}}},
	}
}

func TestChoose(t *testing.T) {
	all := []source.Counterfactual{
		counterfactual("one", finding.Confirmed, 10), counterfactual("maybe", finding.Suspected, 10), counterfactual("alone", finding.Suspected, 20),
	}
	for i := range all {
		for k := range all[i].Loops[0] {
			all[i].Loops[0][k].File = filepath.Clean(all[i].Loops[0][k].File)
		}
	}
	for _, c := range []struct{ wanted, edits, wrong string }{
		{"one", "one", ""},
		{"maybe", "maybe", ""},
		{"a.cpp:10", "one", ""},         // the suspected one only where there is no other
		{"/src/a.cpp:20", "alone", ""},  //
		{"src/a.cpp:10,one", "one", ""}, // once
		{"one,alone", "one,alone", ""},
		{"two", "", "it has one"},
		{"a.cpp:11", "", "in line 11"},
		{"ba.cpp:10", "", "in line 10"},
		{"inner.h:1", "", "in line 1"}, // the chain ends in the user's own code
	} {
		edits, err := choose(strings.Split(c.wanted, ","), all, "build")
		var ids []string
		for _, e := range edits {
			ids = append(ids, e.Finding)
		}
		if strings.Join(ids, ",") != c.edits || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, %v", c.wanted, ids, err)
		}
	}
	if _, err := choose([]string{"x"}, all[1:], "build"); err == nil || !strings.Contains(err.Error(), "nor any other") {
		t.Errorf("nothing confirmed: %v", err)
	}
}

func TestFindBuildDir(t *testing.T) {
	dir := t.TempDir()
	if _, err := FindBuildDir(dir, ""); err == nil || !strings.Contains(err.Error(), "-p") {
		t.Error(err)
	}
	build := filepath.Join(dir, "build")
	if err := os.Mkdir(build, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(build, "compile_commands.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := FindBuildDir(dir, ""); err != nil || got != build {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := FindBuildDir(dir, "other"); err != nil || got != filepath.Join(dir, "other") {
		t.Errorf("%s, %v", got, err)
	}
	w := Wish{Findings: []string{"alias-char-write-00000000"}, BuildDir: "elsewhere"}
	if _, err := w.Choose(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Error(err)
	}
}

func TestEnvironmentForClang(t *testing.T) {
	if env := (&Choice{}).Environ([]string{"A=1"}); !slices.Equal(env, []string{"A=1"}) {
		t.Errorf("nothing to drop, and yet %q", env)
	}
	c := Choice{Foreign: []string{"-fipa-pta"}, LTO: true}
	got := c.Environ([]string{"A=1", "CCC_OVERRIDE_OPTIONS=# x-pipe"})
	if want := []string{"A=1", "CCC_OVERRIDE_OPTIONS=# x-pipe x-fipa-pta +-fuse-ld=lld +-Qunused-arguments"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlaceboJudgesNoFinding(t *testing.T) {
	ts := []finding.Trial{{Variant: "mimalloc"}, {Variant: VariantName}, {Variant: PlaceboName}}
	p := Plan{Edits: []Edit{{Finding: "f-1"}}}
	id, kept := p.Judged("profile", "", ts)
	if id != "f-1" || len(kept) != 1 || kept[0].Variant != VariantName {
		t.Errorf("finding %q is judged by %v", id, kept)
	}
	if id, _ := p.Judged("", "", ts); id != "" {
		t.Errorf("without a profile there is nowhere to keep it, and yet %q", id)
	}
	p.Edits = append(p.Edits, Edit{Finding: "f-2"})
	if id, _ := p.Judged("profile", "", ts); id != "" {
		t.Errorf("two findings at once judge %q", id)
	}
	if len(ts) != 3 || ts[2].Variant != PlaceboName {
		t.Errorf("the trials of the outcome were changed: %v", ts)
	}
}

// Each world has its own plan and plug-in, and nothing stays behind.
func TestWorlds(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "plugin.so")
	if err := os.WriteFile(plugin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := newWorlds(plugin, Choice{Edits: []Edit{{Finding: "f-1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Variants) != 2 || w.Variants[0].Build.Name() != VariantName || w.Variants[0].Build.CFlags == w.Variants[1].Build.CFlags {
		t.Errorf("%+v", w.Variants)
	}
	w.Close()
	if _, err := os.Stat(w.dir); err == nil {
		t.Error("the worlds stay behind")
	}
	if _, err := newWorlds(plugin, Choice{}); err == nil {
		t.Error("a world without an edit")
	}
}
