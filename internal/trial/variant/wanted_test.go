package variant

import (
	"strings"
	"testing"
)

func TestWanted(t *testing.T) {
	one := shelf{"mimalloc": "/lib/libmimalloc.so"}
	w := Wanted{Preload: []string{"mimalloc", "jemalloc"}, Env: []string{"A=1"}, Versus: []string{"other=./b 1"}}
	found, missing, err := w.Variants(false, one)
	if got := strings.Join(names(found), ", "); err != nil || got != "mimalloc, A=1, other" || len(missing) != 1 {
		t.Errorf("%s; missing %v; %v", got, missing, err)
	}
	w.Builds = Choices{LTO: "auto", Matrix: true}
	if _, _, err := w.Variants(false, one); err == nil || !strings.Contains(err.Error(), "--build") {
		t.Errorf("a build without a build command: %v", err)
	}
	found, _, err = w.Variants(true, one)
	if got := strings.Join(names(found), ", "); err != nil || got != "A=1, mimalloc, mimalloc+A=1, lto, lto+A=1, lto+mimalloc, lto+mimalloc+A=1, other" {
		t.Errorf("%s; %v", got, err)
	}
	for _, bad := range []Wanted{{Env: []string{"A"}}, {Versus: []string{"x="}}} {
		if _, _, err := bad.Variants(false, one); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if (&Wanted{}).Any() || !w.Any() {
		t.Error("Any")
	}
}

// Builds are known by their names: two layouts of one labelled build are two.
func TestAlignmentsAreApart(t *testing.T) {
	for _, b := range []*Build{nil, {Label: "what-if", CFlags: "-x"}, {CFlags: "-O3"}} {
		seen := map[string]bool{}
		for _, l := range Alignments(b, MostLayouts-1) {
			seen[l.Build.Name()] = true
			if b != nil && !strings.HasPrefix(l.Build.CFlags, b.CFlags+" -falign") {
				t.Errorf("the build's own flags are gone: %q", l.Build.CFlags)
			}
		}
		if len(seen) != MostLayouts-1 || b != nil && seen[b.Name()] {
			t.Errorf("the layouts of %+v have the names %v", b, seen)
		}
	}
}

// Parts that need no build are taken without one, and only they.
func TestNamedVariantsWithoutABuild(t *testing.T) {
	w := Wanted{Builds: Choices{Named: []string{"env=A=1+env=B=2"}}}
	found, _, err := w.Variants(false, shelf{})
	if err != nil || len(found) != 1 || found[0].Name != "A=1+B=2" {
		t.Errorf("%+v, %v", found, err)
	}
	w.Builds.Named = []string{"env=A=1+lto"}
	if _, _, err := w.Variants(false, shelf{}); err == nil {
		t.Error("a build was taken without a build command")
	}
}
