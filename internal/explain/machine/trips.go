package machine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

const (
	tripRule = "machine-short-trip"
	// mostTrips are the iterations of an entry up to which a loop is short: what is around it
	// takes as long as what is in it.
	mostTrips = 4.0
	// fewestClosed are the executions of the jump that closes a loop, as followed.
	fewestClosed = 500
	// leastShort is the share of such loops of a function.
	leastShort = 0.05
)

// trips is how often a loop runs for each time it is entered, by the jumps that close it, as the
// recording has followed them; of is how many executions of them that was. A way out in the
// middle is not followed: the number is the largest that it can be.
func (l *Loop) trips() (times float64, of uint64, latch uint64) {
	if l.binary == nil {
		return 0, 0, 0
	}
	var seen, left uint64
	for _, in := range l.Instructions {
		b, followed := l.binary.outcomes[in.Address]
		if !followed || b.Leaves == "" {
			continue
		}
		seen += b.Seen
		latch = in.Address
		if b.Leaves == profile.Taken {
			left += b.Taken
		} else {
			left += b.Seen - b.Taken
		}
	}
	if left == 0 {
		return 0, seen, latch
	}
	return float64(seen) / float64(left), seen, latch
}

// fewestElements are those that a loop goes through for vectors to pay.
const fewestElements = 8

// isShort says whether the recording has counted that a loop goes through too few elements for
// vectors.
func (l *Loop) isShort() bool {
	times, of, _ := l.trips()
	return times > 0 && times < fewestElements && of >= fewestClosed
}

// countedLoop is a loop that counts up to a bound: what it compares with.
var countedLoop = regexp.MustCompile(`\bfor\s*\(?[^;]*;([^;]*?(?:<=?|>=?|!=)[^;]*);[^;]*(?:\+\+|--|\+=|-=)`)

// short is a function's loops that run a few times each.
type short struct {
	loops []*Loop
	lead  *Loop // of them, the one with most, which the finding is at
	file  string
	line  int
	bound string
	times float64
	value int64
	count int64
}

// ShortTrips are findings about loops up to a bound that the compiler does not know, and that the
// recording has counted: it is three, or four, or one.
//
// Example. for (j = 0; j < nblocks; ++j) acc[j] = fma(m[j], x, acc[j]), where nblocks is 1: the
// sum stays in memory, and each step pays for a loop.
func ShortTrips(p *profile.Profile, a Answer, facts judge.Facts) []Found {
	byFunction := map[*function]*short{}
	files := text.NewFiles(facts.Source)
	for i := range a.Loops {
		l := &a.Loops[i]
		times, of, latch := l.trips()
		if !l.Innermost || times == 0 || times > mostTrips || of < fewestClosed || isLibc(l.Mapping.Path) {
			continue
		}
		file, line, bound := l.boundAt(latch, files)
		if bound == "" {
			continue
		}
		x := byFunction[l.function]
		if x == nil {
			x = &short{}
			byFunction[l.function] = x
		}
		x.loops = append(x.loops, l)
		x.value += l.Self
		x.count += l.Count
		if x.lead == nil || l.Self > x.lead.Self {
			x.lead, x.file, x.line, x.bound, x.times = l, file, line, bound, times
		}
	}
	var out []Found
	for _, x := range byFunction {
		if share := float64(x.value) / float64(max(p.Total(), 1)); share >= leastShort && x.count >= fewest {
			out = append(out, x.found(p, share))
		}
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// boundAt is the variable that a loop counts up to, as its source has it, and where that stands.
func (l *Loop) boundAt(latch uint64, files *text.Files) (file string, line int, bound string) {
	for _, at := range l.linesAt(latch) {
		path := at.Function.File
		if finding.IsInstalled(path, "") {
			continue
		}
		f := files.At(path)
		if f == nil {
			continue
		}
		for _, in := range f.LoopsFrom(int(at.Line)) {
			m := countedLoop.FindStringSubmatch(in.Header)
			if m == nil {
				break
			}
			counter, limit, _ := strings.Cut(strings.NewReplacer("<=", "<", ">=", "<", "!=", "<", ">", "<").Replace(m[1]), "<")
			names := slices.DeleteFunc(text.Names(limit), func(n string) bool {
				return slices.Contains(text.Names(counter), n) || constantName.MatchString(n)
			})
			if len(names) > 0 {
				return path, in.First, strings.TrimSpace(limit)
			}
			break
		}
	}
	return "", 0, ""
}

// constantName is the name of a constant or of a macro: the compiler knows its value.
var constantName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

func (x *short) found(p *profile.Profile, share float64) Found {
	l := x.lead
	margin := finding.ShareError(share, p.Count())
	place := finding.Place{Binary: l.Mapping.Path, BuildID: l.Mapping.BuildID, Function: l.Function, File: x.file, Line: x.line, EndLine: x.line}
	f := finding.Finding{
		Rule: tripRule, Certainty: finding.Confirmed, Place: place,
		Title: fmt.Sprintf("Loop up to %s runs %s times; make that number a constant", x.bound, timesText(x.times)),
		ID:    identity(tripRule, l.Mapping, l.function, ""),
		Share: finding.Share{Exclusive: &share, Error: &margin},
		Gain:  &finding.Gain{Low: 0.1 * share, High: 0.9 * share, Basis: "what loops of so few iterations take; how much of that is for the loop is not known"},
		Fix:   finding.Fix{Kind: inCode, Steps: rules[tripRule].steps, Caveats: rules[tripRule].caveats},
	}
	for i, other := range x.loops {
		if i == mostOutcomes {
			break
		}
		times, of, latch := other.trips()
		at := ""
		if in, ok := other.lineOf(latch); ok {
			at = fmt.Sprintf(" (%s:%d)", filepath.Base(in.Function.File), in.Line)
		}
		part := float64(other.Self) / float64(max(p.Total(), 1))
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: evidenceKind, Share: &part,
			Text: fmt.Sprintf("loop at %x-%x%s in %s: %s iterations each time it is entered, of %d executions of its last jump that were followed",
				other.Start, other.End, at, codename.Display(other.Function), timesText(times), of)})
	}
	return Found{Loop: l, Finding: f}
}

// timesText is a number of iterations as people write it.
func timesText(n float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}
