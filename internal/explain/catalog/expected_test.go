package catalog

import "testing"

func trial(workload, variant string, ratio, reach float64) Trial {
	return Trial{Workload: workload, Baseline: "old", Variant: variant, Ratio: ratio, Reach: &reach}
}

func entry(trials ...Trial) *Entry {
	return &Entry{Reduction: Reduction{Change: ChangeRemoved, Low: 0.2, High: 0.8}, Trials: trials}
}

// at is what is expected where half of the CPU can be reached.
func at(e *Entry) Expected { return e.Expected(HeldOut, 0.5, 0.01) }

func width(x Expected) float64 { return x.High - x.Low }

func TestTrialsNarrowWhatIsExpected(t *testing.T) {
	none := at(entry())
	one := at(entry(trial("a", "new", 10, 0.92)))
	two := at(entry(trial("a", "new", 10, 0.92), trial("b", "new", 5, 0.82)))
	if none.Workloads != 0 || one.Workloads != 1 || two.Workloads != 2 {
		t.Errorf("rest on %d, %d, %d workloads", none.Workloads, one.Workloads, two.Workloads)
	}
	if width(one) >= width(none) {
		t.Errorf("a trial makes it narrower: %v, %v", none, one)
	}
	if one.Low > 0.978*0.5 || one.High < 0.978*0.5 {
		t.Errorf("the range of the trial's own part leaves it out: %v", one)
	}
	less := at(entry(trial("a", "new", 2, 0.92)))
	if width(less) <= width(one) {
		t.Errorf("a fix that leaves more is less certain: %v, %v", less, one)
	}
}

func TestTheBestVariantCountsAndNoneThatLoses(t *testing.T) {
	best := entry(trial("a", "new", 2, 1), trial("a", "newer", 4, 1))
	if parts := best.Parts(); at(best).Workloads != 1 || len(parts) != 1 || parts[0] != 0.75 {
		t.Errorf("of two variants: %v, not the better one's 75%%", parts)
	}
	lost := at(entry(trial("a", "new", 0.9, 1), trial("b", "new", 0.9, 1)))
	if lost.Low != 0 || lost.High <= 0 || lost.Likely > 0.15 || lost.Why == "" {
		t.Errorf("what lost is expected to save %v", lost)
	}
	builds := &Entry{Reduction: Reduction{Low: -0.45, High: 0.2}}
	if x := at(builds); x.Low >= 0 {
		t.Errorf("an entry that says it may lose: %v", x)
	}
}

func TestSamplingWidensTheRange(t *testing.T) {
	e := entry(trial("a", "new", 10, 0.92))
	few, many := e.Expected(HeldOut, 0.5, 0.2), e.Expected(HeldOut, 0.5, 0.01)
	if few.Low >= many.Low || few.High <= many.High {
		t.Errorf("%v with many samples, %v with few", many, few)
	}
}

func TestNoEstimateWhereTheKindOfChangeTellsNothing(t *testing.T) {
	of := func(change string, trials ...Trial) Expected {
		e := entry(trials...)
		e.Reduction.Change = change
		return e.Expected(HeldOut, 1, 0)
	}
	once := trial("a", "new", 10, 0.92)
	for name, x := range map[string]Expected{
		"an implementation that was not tried": of(ChangeReplaced),
		"what depends on the data":             of(ChangeData, once),
		"a part of what goes away":             of(ChangeReplaced, trial("a", "new", 4, 0.07)),
		"a setting":                            of(ChangeIndirect),
		"trials from nothing to all":           of(ChangeReplaced, once, trial("b", "new", 1, 0.8), trial("c", "new", 1, 0.8)),
	} {
		if x.Why == "" || x.Low > 0.21 || x.High < 0.8 {
			t.Errorf("%s: %+v", name, x)
		}
	}
	if x := of(ChangeReplaced, once); x.Why != "" || x.High <= x.Low {
		t.Errorf("an implementation that was tried: %+v", x)
	}
	if x := of(""); x.Why != "" || x.Low != 0.2 || x.High != 0.8 {
		t.Errorf("an entry without a kind of change has its own range: %+v", x)
	}
}

func TestARangeSaysMoreThanNothing(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Reduction.Change == "" {
			t.Errorf("%s does not say its kind of change", e.ID)
		}
		for _, reach := range []float64{0.028, 0.3, 0.6, 1} {
			x := e.Expected(HeldOut, reach, 0)
			if x.Low > x.Likely || x.Likely > x.High || x.High > 1 || x.Low < 0 && e.Reduction.Low >= 0 {
				t.Errorf("%s: %v of a reach of %g", e.ID, x, reach)
			}
			if x.Why == "" && (x.Low <= almostNothing*reach || x.Low >= x.High || x.High > 2*aPart*reach) {
				t.Errorf("%s: %v of a reach of %g", e.ID, x, reach)
			}
		}
	}
}

// What is not called costs nothing: also untried, and also of little, the share is the
// estimate, and nothing is not in its range.
func TestWorkThatGoesAwayHasAnEstimate(t *testing.T) {
	for _, reach := range []float64{0.03, 0.1, 0.4, 0.9} {
		x := entry().Expected(HeldOut, reach, 0.1*reach)
		if x.Why != "" || x.Low < 0.25*reach || x.Likely < 0.9*reach || x.Likely > min(1, 1.1*reach) || x.High <= x.Likely && x.High < 1 {
			t.Errorf("of %v: %+v", reach, x)
		}
	}
}

func TestMoreThanAllIsNotLikely(t *testing.T) {
	x := entry(trial("a", "new", 100, 0.7)).Expected(HeldOut, 0.9, 0.01)
	if x.Low >= x.High || x.Likely != 1 || x.High != 1 || x.Low < 0.2 {
		t.Errorf("%v", x)
	}
}
