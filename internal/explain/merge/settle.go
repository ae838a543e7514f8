package merge

import (
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Settle marks as minor what another finding, whose change takes the work away or puts
// something else in its place, makes smaller or takes along, so that a report leads with
// causes:
//
//   - what is done within work that goes away, or that others do: seven tenths of its
//     samples or more;
//   - a service of the runtime (collecting, allocating or faulting in memory, compiling)
//     that is mostly asked for by such work: what is left of it shows only a new recording.
//     Several causes may ask for it together;
//   - how a function is called that is replaced;
//   - what happens at a line, where another finding tells why for a third of it;
//   - an entry about a library of which most is at a line that another finding is about, in the
//     library's own code: it is developed here;
//   - whatever is said of a binary that was built without optimisation, or to be examined:
//     what such code spends is not what the product does.
//
// A finding that a trial has proved stays, and one about the build stands first anyway.
// samples are those of the profile; without them each counts as much as another.
//
// Example. A service makes a compressor for each message (30%, made once it is gone); its
// garbage collector takes 14%, and two thirds of what is allocated is for compressors. The
// setting that is advised for the collector is minor: after the change there is little to
// collect. Were a cache filled that has nothing to do with compressors, it would stay.
func Settle(found []judge.Found, samples []profile.Sample) {
	s := settler{samples: samples}
	for i := range found {
		f := &found[i]
		if f.Minor != "" || f.Foremost || f.Aside || f.General || f.Certainty == finding.Proved || f.Certainty == finding.Refuted {
			continue
		}
		for j := range found {
			if i != j {
				if f.Minor = s.follows(f, &found[j]); f.Minor != "" {
					f.After = found[j].ID
					break
				}
			}
		}
		if f.Service && f.Minor == "" {
			s.serve(f, found)
		}
	}
}

type settler struct{ samples []profile.Sample }

const (
	// within is the part of the samples of a finding that makes it a part of another.
	within = 0.7
	// asked is the part of those who ask for a service from which causes are its causes.
	asked = 0.5
	// askedRoughly is that part where all that runs counts as asking: what is left could
	// hardly ask for all of it.
	askedRoughly = 0.8
	// leastAsked is the part from which a cause is one of several.
	leastAsked = 0.15
	// mostlyPassed is the part of the samples of a finding in the kernel from which its
	// library only passes calls on.
	mostlyPassed = 0.5
)

// follows says why a finding follows from a cause, "" where it does not.
func (s settler) follows(f, cause *judge.Found) string {
	if cause.Foremost && cause.Certainty != finding.Refuted && (f.Place.Binary == "" || f.Place.Binary == cause.Place.Binary) && cause.Place.Function == "" {
		return "said of a build that is not the product: look again after " + cause.ID
	}
	if cause.Passed && cause.Minor == "" && cause.Certainty != finding.Refuted && !f.Passed && len(f.Samples) > 0 && s.part(f.Samples, cause.Samples) >= mostlyPassed {
		return "most of it is system calls that " + cause.ID + " is about: another library would make them too"
	}
	if !isCause(cause) {
		return ""
	}
	if isAtItsLine(f, cause) && s.part(f.Samples, cause.Samples) >= asked {
		return "it is about the program's own code, and " + cause.ID + " says what to change there"
	}
	if isAtItsLine(cause, f) || s.isWhy(f, cause) {
		return ""
	}
	switch {
	case s.isWhy(cause, f):
		return "what takes so long there is told by " + cause.ID
	case f.Callee != "" && (f.Callee == cause.Place.Function || slices.Contains(cause.Functions, f.Callee)):
		return "the function that is called goes with " + cause.ID
	case len(f.Samples) == 0 || !f.Basic && cause.Share.Main() < f.Share.Main() && !s.isAll(f, cause):
	case f.Fix.Kind == "build": // how a binary is built holds for all of its code, whatever runs
	case cause.Removes && s.part(f.Samples, cause.Samples) >= within, s.part(f.Samples, s.below(f, cause)) >= within:
		return "its work is within that of " + cause.ID + ", and gone with it"
	}
	return ""
}

// isWhy says whether a finding tells why for a good part of what another one only tells to happen.
//
// Example. Parsing takes longer each time round (64%), with a collector that has more to look at; 25%
// are a list that is copied whole at a line below.
func (s settler) isWhy(f, symptom *judge.Found) bool {
	const good = 0.33
	return symptom.Symptom && !f.Symptom && f.Removes && !f.Service && s.part(symptom.Samples, f.Samples) >= good
}

// isAll says whether a line of the program whose work goes away has nearly all of what another
// implementation would do faster: what is left of that is other calls.
//
// Example. An object is copied through JSON (83%); encoding/json takes 86%, a faster one is advised.
func (s settler) isAll(f, cause *judge.Found) bool {
	const nearly = 0.9
	return cause.Takes && cause.Removes && (!f.Removes || !cause.Yields) && s.part(f.Samples, cause.Samples) >= nearly
}

// isCause says whether the change of a finding takes work away, whatever it is that the
// work asks for.
func isCause(f *judge.Found) bool {
	return (f.Removes || len(f.Replaced) > 0) && !f.Service && f.Minor == "" && !f.Aside && !f.General && f.Certainty != finding.Refuted
}

// gone are the samples that go with a cause.
func gone(cause *judge.Found) []int32 {
	if cause.Removes {
		return cause.Samples
	}
	return cause.Replaced
}

// below are the samples of a finding that what another one replaces calls, or runs in
// itself: its frames are no nearer to the root.
func (s settler) below(f, cause *judge.Found) []int32 {
	if len(f.Depths) == 0 || len(cause.Depths) == 0 || len(cause.Replaced) == 0 {
		return nil
	}
	depths := make(map[int32]int32, len(cause.Samples))
	for i, row := range cause.Samples {
		depths[row] = cause.Depths[i]
	}
	replaced := set(cause.Replaced)
	var out []int32
	for i, row := range f.Samples {
		if depth, is := depths[row]; is && f.Depths[i] < depth && replaced[row] {
			out = append(out, row)
		}
	}
	return out
}

// serve marks a service that causes ask for, after the one that asks most.
func (s settler) serve(f *judge.Found, found []judge.Found) {
	var all []int32
	most, of := 0.0, ""
	for j := range found {
		cause := &found[j]
		if cause.ID == f.ID || !isCause(cause) {
			continue
		}
		part := s.part(f.Demand, gone(cause))
		if part < leastAsked {
			continue
		}
		all = append(all, gone(cause)...)
		if part > most {
			most, of = part, cause.ID
		}
	}
	if isThrash(f, found, of) {
		return
	}
	enough := asked
	if f.Roughly {
		enough = askedRoughly
	}
	if of != "" && s.part(f.Demand, all) >= enough {
		f.Minor, f.After = "how much there is of it follows from what asks for it: look again after "+of, of
	}
}

// isThrash says whether a collector takes more than half of the CPU, and twice as much as the
// cause that asks most: so much follows from too little room, whoever asks.
func isThrash(f *judge.Found, found []judge.Found, of string) bool {
	const most, times = 0.5, 2
	at := slices.IndexFunc(found, func(c judge.Found) bool { return c.ID == of })
	return f.Collects && at >= 0 && f.Share.Main() >= most && f.Share.Main() >= times*found[at].Share.Main()
}

func set(rows []int32) map[int32]bool {
	out := make(map[int32]bool, len(rows))
	for _, row := range rows {
		out[row] = true
	}
	return out
}

// part is how much of rows is among others.
func (s settler) part(rows, others []int32) float64 {
	among := set(others)
	all, n := int64(0), int64(0)
	for _, row := range rows {
		value := int64(1)
		if int(row) < len(s.samples) {
			value = s.samples[row].Value
		}
		all += value
		if among[row] {
			n += value
		}
	}
	return float64(n) / float64(max(all, 1))
}

// part is how many of rows are among others.
func part(rows, others []int32) float64 { return settler{}.part(rows, others) }
