package growth

import (
	"maps"
	"os"
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// scripts are facts of source files alone.
type scripts struct{ judge.Facts }

func (scripts) Source(path string) ([]string, bool) {
	text, err := os.ReadFile(path)
	return strings.Split(string(text), "\n"), err == nil
}

// unnamed is a profile of an interpreter without names: samples by address.
func unnamed(binary string, command []string, at map[uint64]int64) *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: binary, Start: 0x1000, Limit: 0x900000})
	for _, address := range sortedKeys(at) {
		fn := b.Function(profile.Function{Kind: profile.KindNative, Mapping: m})
		stack := b.Stack([]profile.LocationID{b.Location(m, address, profile.KindNative, profile.Line{Function: fn})})
		b.Sample(profile.Sample{Stack: stack, Count: at[address], Value: at[address]})
	}
	return b.Build(profile.Meta{Command: command})
}

func TestALoopWithoutANameIsToldByTheScript(t *testing.T) {
	const r = "/usr/lib/R/lib/libR.so"
	spread := map[uint64]int64{}
	for i := range uint64(60) {
		spread[0x2000+i*128] = 10
	}
	loop := maps.Clone(spread)
	loop[0xaaf88], loop[0xaaf90] = 200, 200
	for name, c := range map[string]struct {
		script string
		at     map[uint64]int64
		want   string
	}{
		"one line":    {"testdata/grow.R", loop, "grow.R:5"},
		"spread":      {"testdata/grow.R", spread, ""},
		"not written": {"testdata/fill.R", loop, ""},
	} {
		a, err := Judge(t.Context(), judge.Subject{Facts: scripts{}, Profile: unnamed(r, []string{"Rscript", c.script}, c.at)})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == "" && len(a.Found) != 0:
			t.Errorf("%s: %+v", name, a.Found)
		case c.want != "" && (len(a.Found) != 1 || !strings.Contains(a.Found[0].Title, c.want) || a.Found[0].Place.Line != 5 || a.Found[0].Share.Main() != 0.4):
			t.Errorf("%s: %+v", name, a.Found)
		}
	}
}
