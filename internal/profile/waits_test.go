package profile_test

import (
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/merge"
)

func withWait() *profile.Profile {
	b := profile.NewBuilder()
	at := func(name string) profile.LocationID {
		return b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: name})})
	}
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at("burn"), at("main")}), Count: 1, Value: 1})
	b.Wait(profile.Sample{Stack: b.Stack([]profile.LocationID{at("futex_wait"), at("nap"), at("main")}), Labels: b.Labels([]profile.Label{{Key: profile.LabelTID, Num: 8}}), Count: 2, Value: 20})
	return b.Build(profile.Meta{})
}

// What makes a profile of another one takes the waits along.
func TestWaitsGoAlong(t *testing.T) {
	name := func(p *profile.Profile, s profile.Sample, at int) string {
		return p.Function(p.Lines(p.Stack(s.Stack)[at])[0].Function).Name
	}
	p := withWait()
	if q := p.Filtered(func(s *profile.Sample) bool { return name(p, *s, 0) == "burn" }); len(q.Waits()) != 0 || len(q.Samples()) != 1 {
		t.Errorf("chosen: %+v", q.Waits())
	}
	if q := p.Filtered(func(*profile.Sample) bool { return true }); len(q.Waits()) != 1 {
		t.Errorf("all: %+v", q.Waits())
	}
	q := p.OnlyFrames(func(id profile.FunctionID) bool { return p.Function(id).Name != "futex_wait" }, profile.Function{Name: "outside"})
	if w := q.Waits(); len(w) != 1 || name(q, w[0], 0) != "nap" || w[0].Value != 20 {
		t.Errorf("own frames: %+v", w)
	}
	sum := merge.All([]*profile.Profile{p, withWait()})
	if w := sum.Waits(); len(w) != 1 || w[0].Value != 40 || w[0].Count != 4 || name(sum, w[0], 1) != "nap" {
		t.Errorf("two together: %+v", w)
	}
	if tid, _ := sum.Label(sum.Waits()[0].Labels, profile.LabelTID); tid.Num != 8 {
		t.Errorf("of thread %d", tid.Num)
	}
}
