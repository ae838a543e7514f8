package explain

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// judgeBuild adds what makes all else moot. The catalogue knows unoptimised code by
// its frames: what the binary says of itself is its evidence then.
func (r Request) judgeBuild(facts *binfacts.Facts, found []finding.Finding) []finding.Finding {
	quality := build.Of(r.Profile, facts.Info)
	if r.All {
		found = append(found, build.General(r.Profile, quality)...)
	}
	for _, b := range build.Findings(r.Profile, quality) {
		at := slices.IndexFunc(found, func(f finding.Finding) bool {
			return b.Rule == build.RuleUnoptimised && f.Rule == unoptimised && (f.Place.Binary == "" || f.Place.Binary == b.Place.Binary)
		})
		if at < 0 {
			found = append(found, b)
			continue
		}
		f := &found[at]
		f.Certainty = finding.Confirmed
		f.Evidence = append(slices.Clip(f.Evidence), b.Evidence...)
	}
	return found
}

// unoptimised is the catalogue's entry about code without optimisation.
const unoptimised = "debug-build"

// markForemost marks the findings after whose fix one has to look again.
func markForemost(found []finding.Finding) {
	for i := range found {
		f := &found[i]
		f.Foremost = build.IsMoot(f.Rule) || f.Rule == unoptimised && f.Certainty != finding.Suspected
	}
}

// judgeMachine joins what rules find in the machine code of hot loops with what is
// known of the same places from the source: one finding, with both as evidence. A
// machine without the analyser has none, and the notes say so.
func (r Request) judgeMachine(ctx context.Context, facts *binfacts.Facts, found []finding.Finding, samplesOf map[string][]int32) (joined []finding.Finding, notes []string, looked string, err error) {
	answer, err := machine.Find(ctx, machine.Request{Profile: r.Profile, DebugDirs: r.DebugDirs}, facts)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, "", ctx.Err()
		}
		return found, []string{fmt.Sprintf("the machine code was not looked at: %v", err)}, "", nil
	}
	if r.Loops != nil {
		r.Loops(answer.Loops)
	}
	if answer.Looked.Functions > 0 {
		looked = fmt.Sprintf(" In machine code: the loops of the %d hottest functions.", answer.Looked.Functions)
	}
	rowsOf := func(l *machine.Loop) []int32 {
		return l.Samples(r.Profile, func(mapping *profile.Mapping, address uint64) (uint64, bool) {
			_, vaddr, ok := facts.Code(mapping, address)
			return vaddr, ok
		})
	}
	var alone []machine.Found
	other := otherCompilers{facts: facts, known: map[*profile.Mapping]bool{}}
	for _, m := range slices.Concat(machine.Findings(r.Profile, answer.Loops), machine.Stalls(r.Profile, answer)) {
		if !r.All && origin.IsRuntime(m.Place.Binary) {
			continue // for the interpreter's authors; who runs a script cannot change it
		}
		if other.made(m.Loop.Mapping) {
			continue // what is advised are flags of gcc and clang, and sources in C and C++
		}
		if !r.All && !forGo(facts.Info(m.Loop.Mapping), m) {
			continue
		}
		rows := rowsOf(m.Loop)
		if at := sameLoop(found, m, rows, samplesOf); at >= 0 {
			f := &found[at]
			f.SameAs = append(slices.Clip(f.SameAs), m.ID)
			f.Evidence = append(slices.Clip(f.Evidence), m.Evidence...)
			if f.Certainty == finding.Suspected {
				f.Certainty = finding.Confirmed // compiled by whom it may: the code that ran has it
			}
			continue
		}
		if !r.All && isReplaced(found, m, rows, samplesOf) {
			continue
		}
		alone = append(alone, m)
	}
	for _, m := range machine.Together(r.Profile, alone) {
		rows := rowsOf(m.Loop)
		for _, l := range m.Others {
			rows = append(rows, rowsOf(l)...)
		}
		samplesOf[m.ID] = rows
		if path := fileName(r.Path); path != "" {
			m.See = append(m.See, r.loopsCommand(path, m.Loop))
			if flags := machine.Flags(m.Rule); flags != "" {
				m.Next = shellwords.Join([]string{"whyhot", "try", "build", "--profile", path, "--finding", m.ID, "--cflags=" + flags}) + " --build '<your build command>'"
			}
		}
		found = append(found, m.Finding)
	}
	return found, answer.Notes, looked, nil
}

// forGo says whether a finding in a Go program is for whoever owns the program: not in
// Go's runtime or standard library, and not about a prefetch, which Go has no word for.
// Findings in other programs are.
func forGo(info *elfinfo.Info, m machine.Found) bool {
	if info == nil || info.Go == nil {
		return true
	}
	function := profile.Function{Name: m.Loop.Function, Kind: profile.KindGo}
	return m.Rule != machine.StallRule && origin.OfFunction(&function, m.Place.Binary) == origin.Own
}

// otherCompilers remembers which binaries neither gcc nor LLVM made.
type otherCompilers struct {
	facts *binfacts.Facts
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

// loopsCommand shows a loop; in a stripped binary no name chooses it.
func (Request) loopsCommand(path string, l *machine.Loop) string {
	words := []string{"whyhot", "loops", path}
	if l.Function != "" {
		words = append(words, "--match", "^"+regexp.QuoteMeta(l.Function)+"$")
	}
	return shellwords.Join(words)
}

// sameLoop is the finding in the source or of the catalogue that a finding in machine
// code is about too, -1 for none: their rules are about the same, and it is the same loop
// in the source, or at least half of the loop's samples, which are rows, are the other's.
// Of loops inside each other, it is the one that has most of the loop's instructions, and
// of these the innermost.
func sameLoop(found []finding.Finding, m machine.Found, rows []int32, samplesOf map[string][]int32) int {
	best, most, least := -1, 0.0, 0
	for i, f := range found {
		if !machine.Meets(m.Finding, f.Rule) {
			continue
		}
		places := []finding.Place{f.Place}
		for _, s := range f.Sites {
			if s.Kind != finding.SiteDeclaration {
				places = append(places, s.Place)
			}
		}
		for _, p := range places {
			of := linesMeet(p, m)
			lines := max(p.EndLine, p.Line) - p.Line
			if of > most || of > 0 && of == most && lines < least {
				best, most, least = i, of, lines
			}
		}
	}
	if best >= 0 {
		return best
	}
	return slices.IndexFunc(found, func(f finding.Finding) bool {
		return machine.Meets(m.Finding, f.Rule) && areMostly(rows, samplesOf[f.ID])
	})
}

// isReplaced says whether a finding in machine code is about a library that another
// finding wants another one for: whoever exchanges the reference BLAS has no use for flags
// that make its loops faster.
func isReplaced(found []finding.Finding, m machine.Found, rows []int32, samplesOf map[string][]int32) bool {
	return strings.Contains(filepath.Base(m.Place.Binary), ".so") && slices.ContainsFunc(found, func(f finding.Finding) bool {
		return f.Place.Function == "" && f.Place.File == "" && f.Place.Binary == m.Place.Binary && areMostly(rows, samplesOf[f.ID])
	})
}

// linesMeet says how much of a loop of machine code is of a place in the source, 0 for
// none of it or less than half. Where the loop is mostly what was inlined into it, its own
// place is there: the calls count. Without lines of its instructions, or with a place that
// is one line of a loop alone, it is whether they have lines in common.
//
// Example. A loop from line 262 to 290 has one inside it from 273 to 276. Of the code of
// the outer one, only the entry to the inner one is of its lines: it is another loop.
func linesMeet(p finding.Place, m machine.Found) float64 {
	if p.Line == 0 {
		return 0
	}
	lined, within := 0, 0
	if m.Loop != nil {
		for _, in := range m.Loop.Instructions {
			if len(in.Lines) == 0 {
				continue
			}
			lined++
			if slices.ContainsFunc(in.Lines, func(f profile.Frame) bool {
				return int(f.Line) >= p.Line && int(f.Line) <= max(p.EndLine, p.Line) && sameFile(p.File, f.Function.File)
			}) {
				within++
			}
		}
	}
	if within > 0 && 2*within >= lined {
		return float64(within) / float64(lined)
	}
	if lined > 0 && p.EndLine > p.Line {
		return 0
	}
	loop := m.Place
	if loop.Line > 0 && sameFile(p.File, loop.File) && p.Line <= max(loop.EndLine, loop.Line) && max(p.EndLine, p.Line) >= loop.Line {
		const least = 0.5 // there is no telling
		return least
	}
	return 0
}

// areMostly says whether half of the rows of a profile or more are among others.
func areMostly(rows, others []int32) bool {
	among := make(map[int32]bool, len(others))
	for _, row := range others {
		among[row] = true
	}
	n := 0
	for _, row := range rows {
		if among[row] {
			n++
		}
	}
	return n > 0 && 2*n >= len(rows)
}

// sameFile compares by name and directory: a profile names files as they were built.
func sameFile(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	da, db := filepath.Base(filepath.Dir(a)), filepath.Base(filepath.Dir(b))
	return da == db || !strings.Contains(a, "/") || !strings.Contains(b, "/")
}
