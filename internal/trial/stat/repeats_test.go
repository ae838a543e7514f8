package stat

import "testing"

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want bool
	}{
		{[]float64{100, 100, 100}, true},
		{[]float64{100, 100.4, 100}, true},
		{[]float64{100, 101, 100}, false},
		{[]float64{100, 100}, false},
		{nil, false},
	} {
		if got := Repeats(c.xs); got != c.want {
			t.Errorf("%v: %v", c.xs, got)
		}
	}
}

func TestRangeHoldsEveryRatio(t *testing.T) {
	base, variant := []float64{100, 100.1, 100}, []float64{50, 50.1, 50.05}
	i := Range(base, variant)
	for _, b := range base {
		for _, v := range variant {
			if b/v < i.Low || b/v > i.High {
				t.Errorf("%v/%v is outside %+v", b, v, i)
			}
		}
	}
	r := DefaultRules(1)
	r.Band = 0.002
	for want, pair := range map[Verdict][2][]float64{
		Faster:  {base, variant},
		Slower:  {variant, base},
		Same:    {{100, 100, 100}, {100.1, 100.1, 100.1}},
		Unclear: {{100, 100.4, 100}, {100, 100.3, 100.1}},
	} {
		if got := r.JudgeRange(Range(pair[0], pair[1])); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
