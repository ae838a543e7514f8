package growth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"whyhot/internal/profile"
)

// recorded is a recording of a loop: of each sample, by the progress of the loop, what share
// of it is copying, and which share of the samples is of another function at that time.
type recorded struct {
	samples int
	copying func(progress float64) float64 // cost of the copy in an iteration, the rest costs 1
	before  float64                        // share of samples of the function before the loop
	inner   []frame                        // of the copy, where it is something else
	rest    []frame                        // of the other work, likewise
}

func (r recorded) profile(rng *rand.Rand) *profile.Profile {
	b := profile.NewBuilder()
	inner := r.inner
	if inner == nil {
		inner = []frame{own("main", 9), own("render", 41), {name: "memcpy", binary: "/usr/lib/libc.so.6", kind: profile.KindNative}}
	}
	copies := b.Stack(locations(b, inner))
	others := r.rest
	if others == nil {
		others = []frame{own("main", 9), own("render", 40)}
	}
	rest := b.Stack(locations(b, others))
	const iterations = 20000
	total := 0.0
	for i := range iterations {
		total += 1 + r.copying(float64(i)/iterations)
	}
	begin := int64(float64(r.samples) * r.before)
	const millisecond = 1_000_000
	add := func(stack profile.StackID, at int64) {
		b.Sample(profile.Sample{Stack: stack, Time: 1 + at/10*10*millisecond, Count: 1, Value: 1})
	}
	for i := range begin {
		add(rest, i)
	}
	done, taken := 0.0, int64(0)
	for i := range iterations {
		c := r.copying(float64(i) / iterations)
		done += 1 + c
		for ; done > total*float64(taken)/float64(int64(r.samples)-begin); taken++ {
			stack := rest
			if rng.Float64() < c/(1+c) {
				stack = copies
			}
			add(stack, begin+taken)
		}
	}
	return b.Build(profile.Meta{})
}

func TestACopyThatGrowsIsAnAccumulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 100 {
		got := accumulationsIn(newFrames(recorded{samples: 1000, copying: func(x float64) float64 { return 4 * x }}.profile(rng)))
		if len(got) == 1 && got[0].Function == "render" && got[0].Line == 41 && got[0].Kind == Copy && got[0].Cure != "" {
			found++
		}
	}
	if found < 90 {
		t.Errorf("found in %d of 100", found)
	}
}

// Copies that cost the same each time, whole phases of them, and a table that doubles are
// none.
func TestWhatIsNoAccumulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, r := range map[string]recorded{
		"steady":          {samples: 1000, copying: func(float64) float64 { return 1 }},
		"mostly copying":  {samples: 1000, copying: func(float64) float64 { return 15 }},
		"a later phase":   {samples: 1000, copying: func(float64) float64 { return 2 }, before: 0.4},
		"a phase at end":  {samples: 1000, copying: func(x float64) float64 { return map[bool]float64{true: 20}[x > 0.8] }},
		"a phase between": {samples: 1000, copying: func(x float64) float64 { return map[bool]float64{true: 5}[x > 0.4 && x < 0.7] }},
		"a table doubles": {samples: 1000, copying: func(x float64) float64 {
			for _, at := range []float64{0.0625, 0.125, 0.25, 0.5, 0.99} {
				if x >= at && x < at+0.003 {
					return 400 * at
				}
			}
			return 0
		}},
		"few samples": {samples: 60, copying: func(x float64) float64 { return 4 * x }},
	} {
		false := 0
		for range 200 {
			false += len(accumulationsIn(newFrames(r.profile(rng))))
		}
		if false > 4 {
			t.Errorf("%s: %d of 200", name, false)
		}
	}
}

func TestWithoutTimesThereIsNone(t *testing.T) {
	p := recorded{samples: 1000, copying: func(x float64) float64 { return 4 * x }}.profile(rand.New(rand.NewPCG(1, 2)))
	if got := accumulationsIn(newFrames(p.Retold(func(*profile.Sample) ([]profile.Label, int64, bool) { return nil, 0, true }))); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// What another line of the same function makes dearer is no growth of its own.
func TestWhatAnotherLineMakesDearerIsLeftOut(t *testing.T) {
	all := []Accumulation{
		{Place: Place{Function: "load", File: "a.php", Line: 13}, Share: 0.85, Exponent: 2.8},
		{Place: Place{Function: "load", File: "a.php", Line: 12}, Share: 0.06, Exponent: 1.7},
		{Place: Place{Function: "load", File: "a.php", Line: 14}, Share: 0.3, Exponent: 1.9},
		{Place: Place{Function: "save", File: "a.php", Line: 40}, Share: 0.06, Exponent: 1.7},
	}
	var lines []int32
	for _, a := range withoutLesser(all) {
		lines = append(lines, a.Line)
	}
	if !slices.Equal(lines, []int32{13, 14, 40}) {
		t.Errorf("lines %v are left", lines)
	}
}

// A recorder that lowers its rate gives later samples more time: shares are of time, not of
// samples.
func TestLaterSamplesWeighMore(t *testing.T) {
	b := profile.NewBuilder()
	for i := range 20 {
		value := int64(1_000_000)
		if i >= 10 {
			value = 5_000_000
		}
		b.Sample(profile.Sample{Stack: b.Stack(nil), Time: int64(i), Count: 1, Value: value})
	}
	p := b.Build(profile.Meta{})
	if got := p.Share([]int32{10, 11, 12}); got != 0.25 {
		t.Errorf("three of the later samples are %v of the time, want a quarter", got)
	}
	f, sum := newFrames(p), 0.0
	for i := range p.Samples() {
		sum += f.weight(&p.Samples()[i])
	}
	if math.Abs(sum-20) > 1e-9 {
		t.Errorf("twenty samples weigh %v", sum)
	}
}
