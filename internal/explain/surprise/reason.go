package surprise

import (
	"fmt"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// mostly is the part of a difference that one caller must bring to be the reason.
const mostly = 0.6

// Explain says who brings what grew: the nearest caller that does not belong to it
// itself. before is the past of the program, nil where there is none: then it says who
// calls it.
func Explain(s *finding.Surprise, now, before *profile.Profile, families view.Grouper) {
	t := thing{s.Kind, s.Name, s.Binary}
	is := callers(now, t, families)
	var was map[string]float64
	if before != nil && s.Against == finding.AgainstPast {
		was = callers(before, t, families)
	}
	whole, best, most := 0.0, "", 0.0
	for name, share := range is {
		whole += share - was[name]
		if d := share - was[name]; d > most || d == most && name < best {
			best, most = name, d
		}
	}
	for name, share := range was {
		if _, there := is[name]; !there {
			whole -= share
		}
	}
	if whole <= 0 || most < mostly*whole || best == "" {
		return
	}
	switch {
	case was == nil:
		s.Why = fmt.Sprintf("%s of it is called by %s", percent.Text(most/whole), best)
	case was[best] == 0:
		s.Why = fmt.Sprintf("%s calls it (%s of the CPU), and did not before", best, percent.Text(is[best]))
	default:
		s.Why = fmt.Sprintf("calls by %s went from %s to %s of the CPU", best, percent.Text(was[best]), percent.Text(is[best]))
	}
}

// callers are the shares of a thing by the nearest caller outside it, "" where there is
// none.
func callers(p *profile.Profile, t thing, families view.Grouper) map[string]float64 {
	belongs := make([]bool, p.NumFunctions())
	for i := range belongs {
		f := p.Function(profile.FunctionID(i))
		m := p.Mapping(f.Mapping)
		switch t.kind {
		case kindFunction:
			belongs[i] = f.Name == t.name && libraryName(m.Path) == t.library
		case kindLibrary:
			belongs[i] = libraryName(m.Path) == t.name
		case kindFamily:
			belongs[i] = families.Group(f, m) == t.name
		}
	}
	total := float64(p.Total())
	out := map[string]float64{}
	samples := p.Samples()
	for i := range samples {
		if name, ok := callerOf(p, samples[i].Stack, belongs); ok {
			out[name] += float64(samples[i].Value) / total
		}
	}
	return out
}

// callerOf is the nearest frame that does not belong, where the innermost one does.
func callerOf(p *profile.Profile, stack profile.StackID, belongs []bool) (string, bool) {
	first := true
	for _, loc := range p.Stack(stack) {
		for _, l := range p.Lines(loc) {
			if !belongs[l.Function] {
				if first {
					return "", false
				}
				if f := p.Function(l.Function); f.Name != "" {
					return f.Name, true
				}
			}
			first = false
		}
	}
	return "", !first
}
