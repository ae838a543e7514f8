package fetch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

func folded(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.folded")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNamedProfilesAreNotLookedUp(t *testing.T) {
	var doing []string
	o := Options{Doing: func(what string) func() {
		doing = append(doing, what)
		return func() { doing = append(doing, "done") }
	}}
	path := folded(t, "app;main;f 10\n")
	f, err := Profile(t.Context(), path, o)
	if err != nil || f.Total() != 10 || len(f.Hints()) > 0 {
		t.Fatalf("got %v, %v, %q", f.Profile, err, f.Hints())
	}
	if want := []string{"reading " + path, "done"}; !slices.Equal(doing, want) {
		t.Errorf("steps %q, want %q", doing, want)
	}
}

// nameless has an address in a library that is not there.
func nameless(t *testing.T) *bytes.Buffer {
	t.Helper()
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/nowhere/libgone.so", Limit: 0x1000})
	loc := b.Location(m, 0x10, profile.KindNative, profile.Line{})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 300, Value: 300})
	var out bytes.Buffer
	if err := pprof.Write(&out, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestWhatLacksANameIsSaid(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f, err := Profile(t.Context(), "-", Options{Stdin: nameless(t)})
	if err != nil {
		t.Fatal(err)
	}
	if hints := strings.Join(f.Hints(), "\n"); !strings.Contains(hints, "libgone.so") {
		t.Errorf("hints %q", hints)
	}
	f, err = Profile(t.Context(), "-", Options{Stdin: nameless(t), NoSymbols: true})
	if err != nil || len(f.Hints()) > 0 {
		t.Errorf("names were not asked for: %q, %v", f.Hints(), err)
	}
}

func TestBadFilesAreErrors(t *testing.T) {
	if _, err := Profile(t.Context(), folded(t, "")+".absent", Options{}); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := Profile(t.Context(), folded(t, "app;main none\n"), Options{}); err == nil {
		t.Error("a file that is no profile was read")
	}
}
