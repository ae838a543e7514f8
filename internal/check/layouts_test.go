package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/stat"
)

// laidOut is a simulated check of a change that is slow by some share of the base's time,
// with room for most rounds. Each layout adds what layout gives, to all of its rounds;
// found says whether the first comparison found a slow-down.
func laidOut(rng *rand.Rand, slow, noise float64, most int, layout func(*rand.Rand) float64) (found bool, v Verdict) {
	all := newEvidence(newRules(1, 0), false)
	// runs are those of a trial, which run the layouts in turn.
	runs := func(most int, adds ...float64) {
		var base, change []float64
		for n := range most {
			x := noise * rng.NormFloat64()
			if rng.IntN(10) == 0 {
				x *= 3
			}
			base, change = append(base, 1), append(change, (1+slow)*math.Exp(adds[n%len(adds)]+x))
			if all.look(base, change, true) {
				break
			}
		}
		all.keep(base, change)
	}
	runs(most, layout(rng))
	if !all.likely() {
		v, _ := all.end()
		return false, v
	}
	adds := make([]float64, mostLayouts)
	for i := range adds {
		adds[i] = layout(rng)
	}
	all.layouts = mostLayouts
	runs(max(most-len(all.base), 2*mostLayouts), adds...)
	v, _ = all.end()
	return true, v
}

// either adds as much or takes as much away.
func either(size float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return size * float64(2*rng.IntN(2)-1) }
}

func normal(size float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return size * rng.NormFloat64() }
}

// A layout that makes a program slower by 2% is no alarm, however well or badly a round is
// known and however much room there is. Where layouts add or take 2% and nothing in between,
// eight of them say the same by chance too often: a rate of 2.5% has to do.
func TestALayoutIsNoAlarm(t *testing.T) {
	const checks, twoSided = 600, 0.025
	for _, c := range []struct {
		name   string
		noise  float64
		rounds int
		layout func(*rand.Rand) float64
		rate   float64
	}{
		{"none", 0.02, 60, either(0), FalseAlarms},
		{"±2%, quiet", 0.003, 60, either(0.02), twoSided},
		{"±2%", 0.02, 60, either(0.02), FalseAlarms},
		{"±2%, little room", 0.02, 20, either(0.02), FalseAlarms},
		{"±2%, noisy", 0.04, 100, either(0.02), FalseAlarms},
		{"±1%", 0.01, 100, either(0.01), FalseAlarms},
		{"2%, normal", 0.01, 60, normal(0.02), FalseAlarms},
		{"2%, normal, noisy", 0.03, 100, normal(0.02), FalseAlarms},
		{"±12%", 0.01, 40, either(0.12), twoSided},
		{"10%, normal, noisy", 0.04, 60, normal(0.1), FalseAlarms},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng, first, alarms := seeded(7), 0, 0
			for range checks {
				found, v := laidOut(rng, 0, c.noise, c.rounds, c.layout)
				if found {
					first++
				}
				if v == Slower {
					alarms++
				}
			}
			t.Logf("the first comparison alarms in %d of %d checks, the verdict in %d", first, checks, alarms)
			// The 99.9% quantile of a count.
			if most := int(checks*c.rate + 3.1*math.Sqrt(checks*c.rate)); alarms > most {
				t.Errorf("%d alarms in %d checks; at most %d", alarms, checks, most)
			}
		})
	}
}

// Layouts take back few of the slow-downs that the first comparison finds.
func TestASlowDownStands(t *testing.T) {
	const checks = 200
	for _, c := range []struct {
		name        string
		slow, noise float64
		rounds      int
		layout      func(*rand.Rand) float64
		least       float64 // of what the first comparison finds
	}{
		{"2%, quiet", 0.02, 0.005, 60, normal(0.003), 0.95},
		{"2%", 0.02, 0.02, 100, normal(0.003), 0.8},
		{"2%, noisy", 0.02, 0.04, 150, normal(0.003), 0.5},
		{"2%, layouts differ by 1%", 0.02, 0.02, 100, normal(0.01), 0.5},
		{"5%, noisy", 0.05, 0.04, 60, normal(0.003), 0.9},
		{"5%, layouts differ by 2%", 0.05, 0.04, 60, normal(0.02), 0.7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng, first, stand := seeded(9), 0, 0
			for range checks {
				found, v := laidOut(rng, c.slow, c.noise, c.rounds, c.layout)
				if found {
					first++
				}
				if v == Slower {
					stand++
				}
			}
			t.Logf("the first comparison finds %d of %d, and %d stand", first, checks, stand)
			if float64(stand) < c.least*float64(first) || first < checks/2 {
				t.Errorf("%d of %d stand, of %d", stand, first, checks)
			}
		})
	}
}

// A build that heeds the flags of layouts is run in several. The program as it was built
// lies badly after the change (lies.in), and its other layouts do not.
func TestRoundsGoOnInLayouts(t *testing.T) {
	const build = `cp cost.in cost; echo "$GOFLAGS" >program; case "$GOFLAGS" in *randlayout*) echo 0 >lies;; *) cp lies.in lies;; esac`
	for _, c := range []struct {
		name, cost, lies string
		want             Verdict
		says             string
	}{
		{"the change is slower", "104", "0", Slower, "% more ("},
		{"the change lies badly", "100", "0.04", Undecided, "the limit of 0% in between"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write("lies.in", "0\n")
			b.git("add", "-A")
			b.git("commit", "-qm", "where the code lies")
			b.write("cost.in", c.cost+"\n")
			b.write("lies.in", c.lies+"\n")
			r := b.request()
			r.Build, r.Limit = build, 0
			got, err := b.check(r)
			if err != nil {
				t.Fatal(err)
			}
			k := got.Commands[0]
			if k.Verdict != c.want || !strings.Contains(k.Says, c.says) || k.Layouts == nil {
				t.Fatalf("%s: %s, over layouts %+v", k.Verdict, k.Says, k.Layouts)
			}
			// Rounds of the layouts are among those that are told.
			if first := newRules(1, 0).looks.FirstLook(); k.Rounds < first+2*mostLayouts || len(k.Samples.After) != k.Rounds {
				t.Errorf("%d rounds, %d values", k.Rounds, len(k.Samples.After))
			}
		})
	}
}

// A budget may end after fewer rounds than the first look waits for, and the end find a
// slow-down: other layouts have their say all the same.
func TestFewRoundsGoOnInLayouts(t *testing.T) {
	all := newEvidence(newRules(1, 0.02), false)
	for n := range 8 {
		all.base, all.change = append(all.base, 1), append(all.change, 1.07+0.01*float64(n))
	}
	if all.look(nil, nil, true) {
		t.Fatal("a look after eight rounds")
	}
	if !all.likely() {
		t.Error("no other layouts are asked for")
	}
	if v, _ := all.end(); v != Slower {
		t.Errorf("the end finds %s", v)
	}
}

// A slow-down that is likely goes on as the program was built where the build has no other
// layout, to a verdict of the same test.
func TestALikelySlowDownWithoutLayouts(t *testing.T) {
	b := newBench(t)
	b.write("cost.in", "102\n")
	r := b.request()
	r.Limit, r.Budget = 0, 2*time.Minute
	got, err := b.check(r)
	if err != nil {
		t.Fatal(err)
	}
	k := got.Commands[0]
	all := newEvidence(newRules(1, 0), false)
	if all.look(k.Samples.Before[:10], k.Samples.After[:10], false) {
		t.Fatalf("ten rounds are enough: %+v", k)
	}
	if k.Verdict != Slower || k.Layouts != nil {
		t.Errorf("%s: %s, over layouts %+v", k.Verdict, k.Says, k.Layouts)
	}
}

// A verdict is named before the words on it, which do not repeat it; what takes longer than
// the budget says why.
func TestWordsOfACheck(t *testing.T) {
	var k Command
	k.Rounds = 20
	k.fill(Slower, stat.Interval{Estimate: 1.06, Low: 1.058, High: 1.064}, newRules(1, 0.02), 0)
	if want := "it takes 6% more (5.8% to 6.4%), beyond the limit of 2%"; k.Says != want {
		t.Errorf("%q, want %q", k.Says, want)
	}
	r := Request{Budget: 40 * time.Second, Build: "make", Command: []string{"./spin"}}
	if want, got := "--budget 40s bounds the runs; builds and recordings come on top: 1m43s in all", onTop(103*time.Second, &r); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := onTop(41*time.Second, &r); got != "" {
		t.Errorf("%q", got)
	}
}
