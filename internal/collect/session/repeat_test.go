package session

import (
	"context"
	"errors"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/host/ending"
	"whyhot/internal/profile"
)

// samplesOf is a profile of n samples.
func samplesOf(n int64) *profile.Profile {
	b := profile.NewBuilder()
	loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: "f"})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: n, Value: n})
	return b.Build(profile.Meta{})
}

func TestACommandIsRunUntilThereAreEnoughSamples(t *testing.T) {
	ended := &command.Exit{}
	for _, c := range []struct {
		name    string
		repeat  int
		each    []int64 // samples of each run, 0 for none; the last for all that follow
		fail    int     // the run that fails, from 1
		runs    int
		samples int64
		err     error
	}{
		{"once", 0, []int64{58}, 0, 1, 58, nil},
		{"three times", 3, []int64{58}, 0, 3, 174, nil},
		{"until enough", RepeatAuto, []int64{300}, 0, 4, 1200, nil},
		{"the first is enough", RepeatAuto, []int64{5000}, 0, 1, 5000, nil},
		{"one run has none", 3, []int64{10, 0, 10}, 0, 3, 20, nil},
		{"no run has any", 3, []int64{0}, 0, 3, 0, collect.ErrNoSamples},
		{"never enough", RepeatAuto, []int64{1}, 0, mostRuns, mostRuns, nil},
		{"the second fails", 5, []int64{7}, 2, 2, 14, nil},
	} {
		run := 0
		sampler := &fake{name: "fake", record: func(r collect.Request, sink collect.Sink) (collect.Outcome, error) {
			n := c.each[min(run, len(c.each)-1)]
			run++
			out := collect.Outcome{Exit: ended}
			if run == c.fail {
				out.Exit = &command.Exit{Ending: ending.Ending{Code: 3}}
			}
			if n == 0 {
				return out, collect.ErrNoSamples
			}
			return out, sink(samplesOf(n))
		}}
		chosen := choice{sampler: sampler}
		r := recordings{o: &Options{Repeat: c.repeat}, request: &collect.Request{}, samplers: []collect.Sampler{sampler}, chosen: &chosen, temp: t.TempDir()}
		_, err := r.all(t.Context())
		if !errors.Is(err, c.err) || r.runs != c.runs {
			t.Errorf("%s: %d runs, %v", c.name, r.runs, err)
		}
		if err == nil && r.sum().Count() != c.samples {
			t.Errorf("%s: %d samples", c.name, r.sum().Count())
		}
	}
}

func TestOnlyACommandIsRepeated(t *testing.T) {
	_, err := Record(context.Background(), Options{Target: collect.Target{System: true}, Repeat: 2})
	if err == nil {
		t.Error("the machine is recorded twice")
	}
}

// What was recorded is not lost where a later run is interrupted before it begins.
func TestAnInterruptKeepsTheRunsBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var told []int64
	sampler := &fake{name: "fake", record: func(_ collect.Request, sink collect.Sink) (collect.Outcome, error) {
		if len(told) == 2 {
			cancel()
			return collect.Outcome{}, errors.New("interrupted before the recording began")
		}
		return collect.Outcome{}, sink(samplesOf(5))
	}}
	o := &Options{Repeat: RepeatAuto, Ran: func(_ int, samples int64) { told = append(told, samples) }}
	r := recordings{o: o, request: &collect.Request{}, samplers: []collect.Sampler{sampler}, chosen: &choice{sampler: sampler}, temp: t.TempDir()}
	if _, err := r.all(ctx); err != nil || r.sum().Count() != 10 || len(told) != 2 || told[1] != 10 {
		t.Errorf("%v, told %v", err, told)
	}
}
