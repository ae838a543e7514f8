package view

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

func TestDiffWithItselfIsZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		opt := DiffOptions{
			Sort:     rapid.SampledFrom([]Sort{SortSelf, SortTotal}).Draw(t, "sort"),
			Absolute: rapid.Bool().Draw(t, "absolute"),
		}
		var selfA, selfB int64
		for _, r := range Diff(p, p, opt).Rows {
			selfA += r.A.Self
			selfB += r.B.Self
			if r.Delta != 0 || r.P != 1 || r.Significant || r.A != r.B {
				t.Fatalf("row %+v of a profile against itself", r)
			}
		}
		if selfA != p.Total() || selfB != p.Total() {
			t.Fatalf("selves add up to %d and %d, want %d", selfA, selfB, p.Total())
		}
	})
}

func TestDiffConservesBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := randomProfile(t), randomProfile(t)
		d := Diff(a, b, DiffOptions{})
		var selfA, selfB int64
		delta := 0.0
		for _, r := range d.Rows {
			selfA += r.A.Self
			selfB += r.B.Self
			delta += r.Delta
		}
		if selfA != a.Total() || selfB != b.Total() {
			t.Fatalf("selves add up to %d and %d, want %d and %d", selfA, selfB, a.Total(), b.Total())
		}
		if a.Total() > 0 && b.Total() > 0 && math.Abs(delta) > 1e-9 {
			t.Fatalf("differences of shares add up to %g, want 0", delta)
		}
	})
}

func diffRows(a, b map[string]int64, opt DiffOptions) map[string]DiffRow {
	rows := map[string]DiffRow{}
	for _, r := range Diff(fromFolded(a), fromFolded(b), opt).Rows {
		rows[r.Name] = r
	}
	return rows
}

func TestDiffTellsChangeFromChance(t *testing.T) {
	rows := diffRows(
		map[string]int64{"main f": 500, "main g": 480, "main old": 20},
		map[string]int64{"main f": 300, "main g": 460, "main new": 240},
		DiffOptions{},
	)
	for name, significant := range map[string]bool{"f": true, "g": false, "old": true, "new": true, "main": false} {
		if rows[name].Significant != significant {
			t.Errorf("%s: significant is %v in %+v", name, !significant, rows[name])
		}
	}
	// (0.5-0.3)/sqrt(0.4*0.6*2/1000) = 9.1287, whose two-sided normal tail is 6.96e-20.
	if p := rows["f"].P; math.Abs(p/6.96e-20-1) > 0.01 {
		t.Errorf("p of f is %g, want 6.96e-20", p)
	}
}

func TestDiffAbsolute(t *testing.T) {
	rows := diffRows(
		map[string]int64{"main f": 900, "main g": 100},
		map[string]int64{"main g": 110},
		DiffOptions{Absolute: true},
	)
	if r := rows["f"]; r.Delta != -900 || !r.Significant {
		t.Errorf("f went away: %+v", r)
	}
	if r := rows["g"]; r.Delta != 10 || r.Significant {
		t.Errorf("g did not change beyond chance, though its share did: %+v", r)
	}
}

func TestDiffMatchesAcrossVersions(t *testing.T) {
	build := func(path, name string, n int64) *profile.Profile {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: path, BuildID: path})
		loc := b.Location(m, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, Mapping: m})})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: n, Value: n})
		return b.Build(profile.Meta{})
	}
	for _, test := range []struct {
		a, b string
		name string
		rows int
	}{
		{"/usr/lib/libz.so.1.2.13", "/opt/lib/libz.so.1.3", "deflate", 1},
		{"/build/app-v1", "/build/app-v2", "main", 1},                // renamed binary: the name alone decides
		{"/build/app-v1", "/build/app-v2", "", 2},                    // nothing to match by
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "", 1},          // unnamed code of one library
		{"/usr/lib/libc.so.6", "/usr/lib/libmimalloc.so", "free", 1}, // moved to another library
	} {
		d := Diff(build(test.a, test.name, 10), build(test.b, test.name, 20), DiffOptions{})
		if len(d.Rows) != test.rows {
			t.Errorf("%s and %s: %d rows, want %d: %+v", test.a, test.b, len(d.Rows), test.rows, d.Rows)
		}
	}
}
