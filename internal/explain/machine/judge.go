package machine

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Judge is the judge that looks at the machine code of hot loops. tell is given the loops,
// hottest first; it may be nil. A machine without the analyser finds none, and a note says
// so.
func Judge(tell func([]Loop)) judge.Judge {
	return func(ctx context.Context, s judge.Subject) (judge.Answer, error) {
		answer, err := Find(ctx, Request{Profile: s.Profile, DebugDirs: s.DebugDirs}, s.Facts)
		if err != nil {
			if ctx.Err() != nil {
				return judge.Answer{}, ctx.Err()
			}
			return judge.Answer{Notes: []string{fmt.Sprintf("the machine code was not looked at: %v", err)}}, nil
		}
		if tell != nil {
			tell(answer.Loops)
		}
		out := judge.Answer{Notes: answer.Notes}
		if answer.Looked.Functions > 0 {
			out.Looked = lookedAt(answer.Looked.Functions, s.File())
		}
		others := otherCompilers{facts: s.Facts, known: map[*profile.Mapping]bool{}}
		for _, f := range undisputed(slices.Concat(Findings(s.Profile, answer.Loops), Stalls(s.Profile, answer), SmallCalls(s.Profile, answer, s.Facts, s.Facts.Info), Guesses(s.Profile, answer), ShortTrips(s.Profile, answer, s.Facts))) {
			if others.made(f.Loop.Mapping) || !s.All && !canBeChanged(s.Facts, f) {
				continue
			}
			if !s.All && f.Loop.waitsForPages(s.Profile, s.Facts) {
				continue
			}
			m := f.judged(s)
			_, here := s.Facts.Source(m.Place.File)
			if mine := here && !finding.IsInstalled(m.Place.File, ""); !mine && finding.IsPackaged(m.Place.Binary) {
				m.Minor = "in code that is built by others: what is left is another version, or a build of one's own"
			}
			out.Found = append(out.Found, m)
		}
		return out, nil
	}
}

// undisputed are findings without those of which another one of the same line says more, or says
// the contrary. Where it is open whether an element is taken, the loop does not skip nearly all:
// what was followed for skips is one moment of the run. A list that is walked is why its loads
// wait for each other. Of a loop that waits for memory, wrong guesses cost little: the processor
// has time for both ways meanwhile.
func undisputed(found []Found) []Found {
	all := slices.Clone(found)
	over := map[string]string{skipRule: branchRule, StallRule: walkRule}
	return slices.DeleteFunc(found, func(f Found) bool {
		if f.Rule == branchRule && f.Loop != nil && slices.ContainsFunc(all, func(o Found) bool { return o.Rule == sparseRule && o.Loop == f.Loop }) {
			return true
		}
		return over[f.Rule] != "" && slices.ContainsFunc(all, func(o Found) bool {
			return o.Rule == over[f.Rule] && o.Place.Line == f.Place.Line && o.Place.File == f.Place.File && o.Place.Binary == f.Place.Binary
		})
	})
}

// canBeChanged says whether whoever runs the program can change the code: not where it is
// an interpreter's, nor of Go's runtime or standard library. Go has no word for a prefetch
// either.
func canBeChanged(facts judge.Facts, f Found) bool {
	if origin.IsRuntime(f.Place.Binary) {
		return false
	}
	info := facts.Info(f.Loop.Mapping)
	if info == nil || info.Go == nil {
		return true
	}
	if goAssembly.MatchString(f.Place.File) {
		return false
	}
	function := profile.Function{Name: f.Loop.Function, Kind: profile.KindGo}
	return f.Rule != StallRule && origin.OfFunction(&function, f.Place.Binary) == origin.Own
}

// goAssembly is a file of assembly of Go's standard library, with or without the path of its
// tree. Its functions have names without a package, like those of a program: memeqbody.
var goAssembly = regexp.MustCompile(`(^|/src/)(bytes|crypto|hash|internal|math|reflect|runtime|strings|sync|syscall)/([\w.-]+/)*[\w.-]+\.s$`)

// otherCompilers remembers which binaries neither gcc nor LLVM made: what is advised are
// their flags, and sources in C and C++.
type otherCompilers struct {
	facts judge.Facts
	known map[*profile.Mapping]bool
}

func (o otherCompilers) made(m *profile.Mapping) bool {
	if m == nil {
		return false
	}
	other, known := o.known[m]
	if !known {
		info := o.facts.Info(m)
		other = info != nil && info.OtherCompiler() != ""
		o.known[m] = other
	}
	return other
}

// judged is the finding with what tells whether another judge found the same.
func (f *Found) judged(s judge.Subject) judge.Found {
	l := f.Loop
	code := func(m *profile.Mapping, address uint64) (uint64, bool) {
		_, vaddr, ok := s.Facts.Code(m, address)
		return vaddr, ok
	}
	what := "loop"
	if f.Rule == StallRule {
		what = "load"
	}
	out := judge.Found{Finding: f.Finding, Callee: f.callee, Whole: f.whole, Where: l.where(what), Samples: l.Samples(s.Profile, code)}
	for i := range l.Instructions {
		lines := make([]finding.Line, len(l.Instructions[i].Lines))
		for n, at := range l.Instructions[i].Lines {
			lines[n] = finding.Line{File: at.Function.File, Line: int(at.Line)}
		}
		out.Code = append(out.Code, lines)
	}
	if rules[f.Rule].asked {
		withCalls(&out, s.Profile, l.asked(s.Profile, code))
		out.PaidBy = askedBy(s.Profile, out.Samples, l.Function, s.Facts.Source)
	}
	if f.rows != nil {
		out.Samples, out.PaidBy = f.rows, hotLines(s.Profile, f.callers, l.Self, s.Facts.Source)
	}
	if s.Path != "" {
		out.See = append(out.See, LoopsCommand(s.Path, l.Function))
		if flags := Flags(f.Rule); flags != "" {
			out.Next = finding.Command{Verb: "try build", Args: []string{"--profile", s.Path, "--finding", cmp.Or(f.whole, f.ID), "--cflags=" + flags, "--build", finding.YourBuild}}
		}
	}
	return out
}

// LoopsCommand shows the loops of a function; in a stripped binary no name chooses it.
func LoopsCommand(path, function string) finding.Command {
	c := finding.Command{Verb: "loops", Args: []string{path}}
	if function != "" {
		c = c.With("--match", "^"+regexp.QuoteMeta(function)+"$")
	}
	return c
}

// lookedAt says what was looked at.
func lookedAt(functions int, path string) string {
	of := fmt.Sprintf("the %d hottest functions", functions)
	if functions == 1 {
		of = "the hottest function"
	}
	return "In machine code: the loops of " + of + " (whyhot loops " + path + " lists them)."
}
