package trial

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// laid is a machine on which the layout of an arm, 0 to 4, decides by how many
// thousandths a run is slower.
func laid(baseline, a [5]int) *fake {
	f := newFake(nil)
	f.each = func(arm string, _ int) (*run.Result, error) {
		slower := baseline
		if arm == "a" {
			slower = a
		}
		layout := 0
		for _, e := range f.specs[len(f.specs)-1].Env {
			if n, ok := strings.CutPrefix(e, "LAYOUT="); ok {
				layout, _ = strconv.Atoi(n)
			}
		}
		d := time.Second + time.Duration(slower[layout])*time.Millisecond
		return result(time.Duration(float64(d) * (1 + 0.001*f.rng.NormFloat64()))), nil
	}
	return f
}

func fiveLayouts() []variant.Layout {
	out := make([]variant.Layout, 5)
	for i := range out {
		out[i] = variant.Layout{Name: strconv.Itoa(i), Env: []string{"LAYOUT=" + strconv.Itoa(i)}}
	}
	return out
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		name        string
		baseline, a [5]int
		want        Verdict
	}{
		{"spread as large as the gain", [5]int{0, 90, 10, 95, 100}, [5]int{0, 5, 10, 0, 98}, LayoutNoise},
		{"gain beyond the spread", [5]int{100, 105, 110, 98, 102}, [5]int{0, 5, 10, 0, 3}, Faster},
		{"no difference", [5]int{0, 5, 10, 0, 3}, [5]int{3, 5, 0, 10, 0}, Same},
	} {
		f := laid(c.baseline, c.a)
		p := planOf("a")
		p.Layouts, p.Variants[0].Layouts = fiveLayouts(), fiveLayouts()
		p.Rounds = 40
		o := do(t, f, p)
		v := o.Variants[0]
		if v.Verdict != c.want || v.AcrossLayouts == nil {
			t.Errorf("%s: %s, %+v, %+v", c.name, v.Verdict, v.Ratios[Wall], v.AcrossLayouts)
		}
		if v.Verdict == LayoutNoise && !strings.Contains(v.Explanation, "in other layouts") {
			t.Errorf("%s: %q", c.name, v.Explanation)
		}
		for _, l := range v.Layouts {
			if l.Runs != 8 || l.Median <= 0 {
				t.Errorf("%s: layout %s ran %d of 40 times", c.name, l.Name, l.Runs)
			}
		}
	}
}

func TestOneLayoutIsJudgedAsBefore(t *testing.T) {
	o := do(t, speeds(map[string]int{"baseline": 1000, "a": 900}), planOf("a"))
	if v := o.Variants[0]; v.Verdict != Faster || v.AcrossLayouts != nil || v.Layouts != nil {
		t.Errorf("%+v", v)
	}
}

func TestEveryRunHasItsOwnStack(t *testing.T) {
	f := speeds(map[string]int{"baseline": 10, "a": 10})
	p := planOf("a")
	p.Rounds = 20
	do(t, f, p)
	shifts := map[int]bool{}
	for _, s := range f.specs {
		if s.Shift%16 != 0 || s.Shift < 0 || s.Shift >= 1024 {
			t.Errorf("shift %d", s.Shift)
		}
		shifts[s.Shift] = true
	}
	if len(shifts) < 10 {
		t.Errorf("%d places in 42 runs", len(shifts))
	}
}

// Elapsed time that the CPU time does not confirm is not believed on a busy
// machine, and is on a quiet one.
func TestClockAgainstCPUTime(t *testing.T) {
	for _, c := range []struct {
		busy float64
		cpu  time.Duration // of the variant
		want Verdict
	}{
		{1.5, time.Second, Unclear}, {1.5, 800 * time.Millisecond, Faster}, {0.1, time.Second, Faster},
	} {
		f := newFake(nil)
		f.each = func(arm string, _ int) (*run.Result, error) {
			wall, cpu := 1200*time.Millisecond, time.Second
			if arm == "a" {
				wall, cpu = time.Second, c.cpu
			}
			r := result(f.noisy(wall))
			r.User = f.noisy(cpu)
			return r, nil
		}
		p := planOf("a")
		p.Busy = func() float64 { return c.busy }
		o := do(t, f, p)
		v := o.Variants[0]
		if v.Verdict != c.want {
			t.Errorf("%+v: %s", c, v.Verdict)
		}
		if c.want == Unclear && !strings.Contains(v.Explanation, "not by CPU time") {
			t.Errorf("explanation %q", v.Explanation)
		}
	}
}
