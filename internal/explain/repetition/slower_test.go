package repetition

import (
	"math"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// growing counts calls of which the n-th takes of(n) nanoseconds.
func growing(name, file string, calls uint64, of func(n float64) float64) profile.FunctionCalls {
	c := profile.FunctionCalls{Name: name, File: file, Count: calls}
	for n := uint64(1); n <= calls; n++ {
		k := int(math.Log2(float64(n)))
		for len(c.Times) <= k {
			c.Times = append(c.Times, 0)
		}
		c.Times[k] += uint64(of(float64(n)))
	}
	return c
}

func linear(n float64) float64 { return 1000 * n }
func same(float64) float64     { return 50_000 }
func root(n float64) float64   { return 1000 * math.Sqrt(n) }
func warm(n float64) float64   { return 1000 + 1e6/n }

func TestGrows(t *testing.T) {
	for name, x := range map[string]struct {
		calls uint64
		of    func(float64) float64
		power float64
	}{
		"each longer":                    {5000, linear, 1},
		"each as long":                   {5000, same, 0},
		"few":                            {100, linear, 0},
		"with the square root":           {5000, root, 0},
		"getting warm":                   {5000, warm, 0},
		"a power of 1.5":                 {2048, func(n float64) float64 { return 100 * math.Pow(n, 1.5) }, 1.5},
		"later ones have more to do":     {8192, func(n float64) float64 { return 1000 * math.Pow(n, 0.4) * (1 + 9*max(0, min(1, n-4095))) }, 0},
		"unevenly":                       {8191, func(n float64) float64 { return 100 * n * (1.4 - 0.6*math.Mod(math.Floor(math.Log2(n)), 2)) }, 1},
		"unevenly, with the square root": {8191, func(n float64) float64 { return 100 * math.Sqrt(n) * (1.3 - 0.4*math.Mod(math.Floor(math.Log2(n)), 2)) }, 0},
		"a jump, and little more":        {8191, func(n float64) float64 { return 100 * math.Pow(n, 0.3) * (1 + 7*math.Max(0, math.Min(1, n-1023))) }, 0},
		"a full table at last":           {5000, func(n float64) float64 { return 1000 + 1e6*max(0, n-4999) }, 0},
	} {
		c := growing("f", "", x.calls, x.of)
		power, steps := grows(&c)
		if (steps > 0) != (x.power > 0) || steps > 0 && math.Abs(power-x.power) > 0.1 {
			t.Errorf("%s: %.2f over %d", name, power, steps)
		}
	}
}

// Of functions that call each other once the innermost is told, with the lines that ask for it.
func TestSlowing(t *testing.T) {
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(700, -1, "main|app.py add|data.py copy|store.py each|store.py")
	s.add(100, -1, "main|app.py other|data.py")
	const data, store = "/home/me/data.py", "/home/me/store.py"
	p := s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{
		growing("add", data, 1000, linear), growing("copy", store, 1000, linear), growing("each", store, 500_000, same), growing("other", data, 1000, same),
	}})
	a, err := Judge(t.Context(), judge.Subject{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Found) != 1 || a.Found[0].Rule != RuleSlower || a.Found[0].Place.Function != "copy" || a.Found[0].Place.Line != 7 || a.Found[0].Share.Main() != 0.875 {
		t.Fatalf("%+v", a.Found)
	}
	f := a.Found[0]
	if f.Title != "Each call of copy takes longer than the one before" || len(f.Fix.Steps) != 2 ||
		f.Fix.Steps[1] != "Or a caller asks for too much: add (data.py:7) ← main (app.py:7)" {
		t.Errorf("%+v", f.Finding)
	}
	if want := "counted: 1,000 calls; one takes 48µs after 32 calls and 760µs after 512; twice as many calls take 4 times as long"; f.Evidence[0].Text != want {
		t.Errorf("%s", f.Evidence[0].Text)
	}
	if f.Gain.Likely < 0.6 || f.Gain.Likely > 0.8 {
		t.Errorf("%+v", f.Gain)
	}
}

// A function that is called many times within each call of another one is one of its own.
func TestSlowingWithin(t *testing.T) {
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(800, -1, "main|app.py add|data.py copy|store.py")
	p := s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{
		growing("add", "/home/me/data.py", 1000, linear), growing("copy", "/home/me/store.py", 10_000, linear),
		growing("inlined", "/home/me/store.py", 10_000, linear), growing("seldom", "/home/me/store.py", 500, linear), growing("steady", "/home/me/store.py", 10_000, same),
	}})
	a, err := Judge(t.Context(), judge.Subject{Profile: p})
	if err != nil || len(a.Found) != 2 {
		t.Fatalf("%+v %v", a.Found, err)
	}
	for _, f := range a.Found {
		if f.Fix.Steps[1] != "Called as often, and slower each time too: inlined" {
			t.Errorf("%q", f.Fix.Steps)
		}
	}
}
