package archive

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

// Answer is whether a result holds.
type Answer string

// The answers.
const (
	Holds    Answer = "holds"
	HoldsNot Answer = "does not hold"
	Unknown  Answer = "cannot be told"
)

// Repetition is one variant in two trials.
type Repetition struct {
	Variant  string
	Was, Now *Result // nil where a trial does not have it
	Answer   Answer
}

// Compare sets a trial beside the one that it repeats. A result holds when the
// verdict is the same, or is one that the other's interval allows.
func Compare(was, now *Record) []Repetition {
	out := make([]Repetition, 0, len(was.Results))
	at := func(r *Record, name string) *Result {
		i := slices.IndexFunc(r.Results, func(x Result) bool { return x.Variant == name })
		if i < 0 {
			return nil
		}
		return &r.Results[i]
	}
	for i := range was.Results {
		w := &was.Results[i]
		rep := Repetition{Variant: w.Variant, Was: w, Now: at(now, w.Variant)}
		rep.Answer = answer(w, rep.Now)
		out = append(out, rep)
	}
	return out
}

func answer(was, now *Result) Answer {
	opposite := func(a, b trial.Verdict) bool {
		return a == trial.Faster && b == trial.Slower || a == trial.Slower && b == trial.Faster
	}
	switch {
	case now == nil:
		return Unknown
	case was.Verdict == trial.Unclear || now.Verdict == trial.Unclear:
		if was.Ratio != nil && now.Ratio != nil && !overlap(was.Ratio, now.Ratio) {
			return HoldsNot
		}
		return Unknown
	case was.Verdict == now.Verdict:
		return Holds
	case opposite(was.Verdict, now.Verdict):
		return HoldsNot
	case was.Ratio != nil && now.Ratio != nil && overlap(was.Ratio, now.Ratio):
		return Unknown
	}
	return HoldsNot
}

func overlap(a, b *finding.Interval) bool { return a.Low <= b.High && b.Low <= a.High }

// Changes says in sentences what is not as it was.
func Changes(was, now *Record) []string {
	var out []string
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	byRole := map[string]*File{}
	for i := range now.Files {
		byRole[now.Files[i].Role] = &now.Files[i]
	}
	for i := range was.Files {
		f := &was.Files[i]
		g, ok := byRole[f.Role]
		switch {
		case !ok:
			note("%s is no longer there%s", f.Role, at(f.Path))
		case f.BuildID != "" && g.BuildID != "" && f.BuildID != g.BuildID:
			note("%s is another build: build ID %s, was %s", f.Role, shortID(g.BuildID), shortID(f.BuildID))
		case f.SHA256 != g.SHA256 || f.Size != g.Size:
			note("%s has another content%s", f.Role, at(g.Path))
		}
	}
	for _, pair := range []struct{ name, was, now string }{
		{"the CPU", was.Machine.Model, now.Machine.Model},
		{"the kernel", was.Machine.Kernel, now.Machine.Kernel},
		{"the number of CPUs", strconv.Itoa(was.Machine.CPUs), strconv.Itoa(now.Machine.CPUs)},
		{"whyhot", was.Whyhot, now.Whyhot},
	} {
		if pair.was != pair.now {
			note("%s is %s, was %s", pair.name, orNone(pair.now), orNone(pair.was))
		}
	}
	names := maps.Clone(was.Environment)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, now.Environment)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, okA := was.Environment[name]
		b, okB := now.Environment[name]
		switch {
		case okA && !okB:
			note("%s is not set, was %q", name, a)
		case !okA && okB:
			note("%s is %q, was not set", name, b)
		case a != b:
			note("%s is %q, was %q", name, b, a)
		}
	}
	return out
}

// at names a path, where there is one: what came through a pipe has none.
func at(path string) string {
	if path == "" {
		return ""
	}
	return ": " + path
}

func shortID(id string) string { return id[:min(12, len(id))] }

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
