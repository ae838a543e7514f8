package catalog

import "testing"

func trial(workload, variant string, ratio, reach float64) Trial {
	return Trial{Workload: workload, Baseline: "old", Variant: variant, Ratio: ratio, Reach: &reach}
}

func entry(trials ...Trial) *Entry {
	return &Entry{Reduction: Reduction{Change: ChangeRemoved, Low: 0.2, High: 0.8}, Trials: trials}
}

func TestTrialsNarrowWhatIsExpected(t *testing.T) {
	none := entry().Expected(HeldOut)
	one := entry(trial("a", "new", 10, 0.92)).Expected(HeldOut)
	two := entry(trial("a", "new", 10, 0.92), trial("b", "new", 5, 0.82)).Expected(HeldOut)
	if none.Workloads != 0 || one.Workloads != 1 || two.Workloads != 2 {
		t.Errorf("rest on %d, %d, %d workloads", none.Workloads, one.Workloads, two.Workloads)
	}
	if two.High-two.Low >= one.High-one.Low || one.High-one.Low >= none.High-none.Low {
		t.Errorf("each trial that agrees makes it narrower: %v, %v, %v", none, one, two)
	}
	if one.Low > 0.978 || one.High < 0.978 {
		t.Errorf("the range of the trial's own part leaves it out: %v", one)
	}
	apart := entry(trial("a", "new", 10, 0.92), trial("b", "new", 1.2, 0.8)).Expected(HeldOut)
	if apart.High-apart.Low <= two.High-two.Low {
		t.Errorf("trials that differ make it wider: %v, %v", apart, two)
	}
}

func TestTheBestVariantCountsAndNoneThatLoses(t *testing.T) {
	best := entry(trial("a", "new", 2, 1), trial("a", "newer", 4, 1)).Expected(HeldOut)
	if parts := entry(trial("a", "new", 2, 1), trial("a", "newer", 4, 1)).Parts(); best.Workloads != 1 || len(parts) != 1 || parts[0] != 0.75 {
		t.Errorf("of two variants: %v, not the better one's 75%%", parts)
	}
	lost := entry(trial("a", "new", 0.9, 1)).Expected(HeldOut)
	if low, high := lost.Range(0.5, 0.02); lost.Low != 0 || low != 0 || high <= 0 {
		t.Errorf("what lost is expected to save %v, %g to %g", lost, low, high)
	}
	builds := &Entry{Reduction: Reduction{Low: -0.45, High: 0.2}}
	if low, _ := builds.Expected(HeldOut).Range(0.5, 0.02); low >= 0 {
		t.Errorf("an entry that says it may lose: low %g", low)
	}
}

func TestSamplingWidensTheRange(t *testing.T) {
	x := entry(trial("a", "new", 10, 0.92)).Expected(HeldOut)
	low, high := x.Range(0.5, 0.01)
	wideLow, wideHigh := x.Range(0.5, 0.1)
	if wideLow >= low || wideHigh <= high {
		t.Errorf("%g to %g with ten times the samples, %g to %g without", low, high, wideLow, wideHigh)
	}
}

func TestNoEstimateWhereTheKindOfChangeTellsNothing(t *testing.T) {
	of := func(change string, trials ...Trial) Expected {
		e := entry(trials...)
		e.Reduction.Change = change
		return e.Expected(HeldOut)
	}
	once := trial("a", "new", 10, 0.92)
	for name, x := range map[string]Expected{
		"an implementation that was not tried": of(ChangeReplaced),
		"what depends on the data":             of(ChangeData, once),
		"a setting":                            of(ChangeIndirect),
		"trials from nothing to all":           of(ChangeReplaced, once, trial("b", "new", 1, 0.8), trial("c", "new", 1, 0.8)),
	} {
		if x.Why == "" || x.Low > 0.2 || x.High < 0.8 {
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
		x := e.Expected(HeldOut)
		if x.Why == "" && (x.Low <= almostNothing && x.High >= almostAll || x.Low >= x.High || x.High > 3) {
			t.Errorf("%s: %.2f to %.2f of what it can reach", e.ID, x.Low, x.High)
		}
		const share = 0.028
		if low, high := x.Range(share, 0); x.Why == "" && (high > 3*share || low < 0 || low >= high) {
			t.Errorf("%s: a share of 2.8%% may save %.1f to %.1f%%", e.ID, 100*low, 100*high)
		}
	}
}

func TestMoreThanAllIsNotLikely(t *testing.T) {
	x := Expected{Low: 1.5, Centre: 2, High: 2.5}
	if low, high := x.Range(0.9, 0.01); low >= high || high != 1 || low < 0.5 {
		t.Errorf("%g to %g", low, high)
	}
}
