package machine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// A match is a finding where what it costs is not chance: this share of all samples,
// and as many events.
const (
	least  = 0.01
	fewest = 10
	// leastPart is the share from which a loop is a part of a finding about all loops of
	// its binary.
	leastPart = 0.002
)

// Found is a finding with the loop that it is about.
type Found struct {
	finding.Finding

	Loop *Loop
	// callee is the function whose calls are to be made cheaper, "" for none.
	callee string
	// whole is the identity of the one finding that it is with others of its rule, "" where
	// it stands for itself.
	whole string
	// rows and callers are what a finding about functions is told by: its samples, and the
	// lines that call them with what these cost. Otherwise they are nil.
	rows    []int32
	callers map[asking]int64
}

// Findings says what the matches in loops mean, where they are hot. Code of the C
// library is nobody's to change, and what a kernel does in it is meant so.
func Findings(p *profile.Profile, loops []Loop) []Found {
	var out []Found
	for i := range loops {
		l := &loops[i]
		if isLibc(l.Mapping.Path) {
			continue
		}
		matched := map[string]int{}
		for _, m := range l.Matches {
			matched[m.Rule]++
			if m.Rule == branchRule && l.isFollowed(p) {
				continue
			}
			if byElements[m.Rule] && (l.breaks(strideRule) || l.isShort()) {
				continue
			}
			r := rules[m.Rule]
			cost, events := l.Self, l.Count
			switch {
			case r.cost != nil:
				cost, events = r.cost(l, m)
			case r.waits:
				cost, events = l.waits(m)
			}
			share := float64(cost) / float64(max(p.Total(), 1))
			enough := max(least, r.least)
			whole := r.whole && m.Facts["store"] == ""
			if whole {
				enough = leastPart
			}
			if share < enough || events < fewest {
				continue
			}
			f := l.finding(p, m, r, share)
			f.ID = identity(m.Rule, l.Mapping, l.function, strconv.Itoa(l.before[m.Rule]+matched[m.Rule]))
			found := Found{Finding: f, Loop: l}
			switch {
			case whole:
				found.whole = finding.ID(m.Rule, finding.Place{Binary: l.Mapping.Path})
			case m.Rule == rulePLTCall: // however many loops call it
				found.callee = l.short().name
				found.whole = finding.ID(m.Rule, finding.Place{Binary: l.Mapping.Path}, found.callee)
			case m.Rule == ruleOwnCall:
				found.callee = codename.Display(m.Facts["function"])
			}
			out = append(out, found)
		}
	}
	return out
}

// strideRule is of loops that go through memory by a page or more.
const strideRule = "machine-stride"

// byElements are rules that advise to compute several elements at once: of elements that are a
// page apart each has to be fetched by itself, and to go along the rows comes first; a few
// elements fill no vectors.
var byElements = map[string]bool{"machine-scalar": true, "machine-float-sum": true}

// identity is that of a finding in a function of the machine code. The source file is not in
// it: of a loop with several inlined functions it is that of the hottest. which tells apart
// what one function has of a rule; a function without a name is known by where it is.
func identity(rule string, m *profile.Mapping, f *function, which string) string {
	place := finding.Place{Binary: m.Path}
	if f != nil {
		place.Function = f.name
		if f.name == "" {
			which = fmt.Sprintf("%x %s", f.low, which)
		}
	}
	return finding.ID(rule, place, which)
}

// isLibc: its string functions choose by processor at run time, and so do its mathematics.
func isLibc(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "libc-2") || strings.HasPrefix(base, "libm.so") || strings.HasPrefix(base, "libm-2") || strings.HasPrefix(base, "ld-")
}

// waits sums the samples that are meant for the instructions of a match: those that
// say so, and those of the instruction behind.
func (l *Loop) waits(m analyzer.MachineMatch) (value, events int64) {
	for n, in := range l.Instructions {
		behind := n > 0 && slices.Contains(m.At, l.Instructions[n-1].Address) && in.For == 0
		if slices.Contains(m.At, in.For) || behind {
			value += in.Self
			events += in.Count
		}
	}
	return value, events
}

func (l *Loop) finding(p *profile.Profile, m analyzer.MachineMatch, r rule, share float64) finding.Finding {
	margin := finding.ShareError(share, p.Count())
	place := finding.Place{Binary: l.Mapping.Path, BuildID: l.Mapping.BuildID, Function: l.Function, File: l.File, Line: l.Line, EndLine: l.EndLine}
	if r.atMatch && len(m.At) > 0 {
		if at, ok := l.lineOf(m.At[0]); ok {
			place.File, place.Line = at.Function.File, int(at.Line)
			place.EndLine = max(place.EndLine, place.Line)
		}
	}
	f := finding.Finding{
		Rule: m.Rule, Title: r.title(l, m), Certainty: finding.Suspected, Place: place,
		Share:    finding.Share{Exclusive: &share, Error: &margin},
		Gain:     &finding.Gain{Low: r.low * share, High: r.high * share, Basis: "the samples of the loop; what the fix leaves of them is a guess"},
		Evidence: l.evidence(p, m),
		Fix:      finding.Fix{Kind: r.kind, Steps: r.steps, Caveats: r.caveats},
	}
	if r.stepsOf != nil {
		f.Fix.Steps = append(r.stepsOf(l, m), r.steps...)
	}
	if r.waits {
		f.Gain.Basis = "the samples that wait for the instruction"
	}
	if r.besides != nil {
		f.Gain.High = min(1, f.Gain.High+r.high*float64(r.besides(l, m))/float64(max(p.Total(), 1)))
		f.Gain.Basis += ", and at most those that wait for what uses its result"
	}
	if r.more != nil {
		f.Evidence = append(f.Evidence, r.more(p, l, m)...)
	}
	if r.waits || r.certain {
		f.Certainty = finding.Confirmed // the code has it, and the clock finds it waiting there
	}
	return f
}

const (
	mostEvidence = 3
	evidenceKind = "machine"
)

// evidence shows the instructions.
func (l *Loop) evidence(p *profile.Profile, m analyzer.MachineMatch) []finding.Evidence {
	var out []finding.Evidence
	for n, in := range l.Instructions {
		if !slices.Contains(m.At, in.Address) || len(out) == mostEvidence {
			continue
		}
		text := fmt.Sprintf("%x: %s", in.Address, in.Text)
		if f, ok := Edited(in.Lines); ok {
			text += fmt.Sprintf(" (%s:%d)", filepath.Base(f.Function.File), f.Line)
		}
		e := finding.Evidence{Kind: evidenceKind, Text: text}
		value := in.Self
		if n+1 < len(l.Instructions) && (l.Instructions[n+1].For == in.Address || l.Instructions[n+1].For == 0) {
			value = l.Instructions[n+1].Self
		}
		if value > 0 {
			share := float64(value) / float64(p.Total())
			e.Share = &share
		}
		out = append(out, e)
	}
	for _, key := range []string{"store", "divisor"} {
		if v := m.Facts[key]; v != "" {
			out = append(out, finding.Evidence{Kind: evidenceKind, Text: key + " " + v})
		}
	}
	share := float64(l.Self) / float64(max(p.Total(), 1))
	return append(out, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("%s, %d instructions", l.where("loop"), len(l.Instructions)), Share: &share})
}

// covers says whether an address of the binary is in the loop.
func (l *Loop) covers(vaddr uint64) bool { return within(l.Ranges, vaddr) }

func within(ranges [][2]uint64, vaddr uint64) bool {
	return slices.ContainsFunc(ranges, func(r [2]uint64) bool { return vaddr >= r[0] && vaddr < r[1] })
}

// Samples are the rows of a profile whose innermost code is in a loop and in no loop inside of it,
// as in Self; code gives the place in a binary of an address.
func (l *Loop) Samples(p *profile.Profile, code func(m *profile.Mapping, address uint64) (vaddr uint64, ok bool)) []int32 {
	var out []int32
	for in := range p.Innermosts() {
		m := p.Mapping(in.Location.Mapping)
		if m.Path != l.Mapping.Path || in.Location.Address == 0 {
			continue
		}
		vaddr, ok := code(m, in.Location.Address)
		if ok && l.covers(vaddr) && !within(l.nested, vaddr) {
			out = append(out, int32(in.Row))
		}
	}
	return out
}
