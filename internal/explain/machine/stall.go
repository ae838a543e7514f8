package machine

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Stall is a load that the samples behind it waited for, in a loop or not.
type Stall struct {
	Function string
	Mapping  *profile.Mapping
	Load     Instruction // Self and Count are those of the samples behind it
	At       uint64      // the instruction behind it, where they were taken
	Kind     string      // analyzer.MachineWait's
	Ahead    int         // instructions for which at least the address has been known
	Jumps    bool        // a comparison with memory, and a conditional jump behind it
	Element  int64       // analyzer.MachineWait's
	Used     int64
	Self     int64 // value of the samples behind it
	Count    int64 // their events
	Near     int64 // value of the samples on its neighbours
	Whole    int64 // value of the function's samples

	function *function
}

// StallRule is the rule of loads that wait.
const StallRule = "machine-load-stall"

// kindTable is an element whose index is computed, or was loaded.
const kindTable = "table"

// leastSpread is how many times as large as what is used of it an element is whose fields are
// better kept apart.
const leastSpread = 4

var spreadSteps = []string{
	"Keep the fields that this code reads in arrays of their own, or in a small structure beside the large one: a cache line then holds several elements, and the table may fit the cache",
	"Where the order of the look-ups is known before (cells of a grid, a sorted list), copy these fields in that order once, and read them one behind the other",
	prefetch,
}

// kindRun is a walk along a row that begins where a pointer from memory says.
const kindRun = "run"

// longestRun is how many bytes such a row has at most for its beginning to count: along a longer one
// the processor fetches ahead. It does so within a page, after a few lines of it were read.
const longestRun = 4096

// kindRows is a walk down a column: each element is a row further.
const kindRows = "rows"

// A load is a finding from this share of all samples, and of its function's, and where
// it has this many times what its neighbours have together. Neighbours are within that
// many bytes of code, some eight instructions to each side.
const (
	leastStall  = 0.03
	leastOfCode = 0.1
	timesNear   = 1.5
	// Beside a walk along rows others of the same loop wait: its stores, the next row.
	timesNearRows = 0.5
	fewestStall   = 20
	nearBytes     = 32
)

// stalls gives the loads of a function that samples are meant for.
func (f *function) stalls(b *binary, reply analyzer.MachineFunction) []Stall {
	out := make([]Stall, 0, len(reply.Waits))
	for _, w := range reply.Waits {
		h := b.at[w.At]
		s := Stall{
			Function: f.name, Mapping: b.mapping, At: w.At, Kind: w.Kind, Ahead: w.Ahead, Jumps: w.Jumps, Element: w.Element, Used: w.Used,
			Load: Instruction{Address: w.Load.Address, Text: w.Load.Text}, Self: h.value, Count: h.count, Whole: f.value, function: f,
		}
		for _, a := range f.sampled {
			if a != w.At && (isNear(a, w.At) || isNear(a, w.Load.Address)) {
				s.Near += b.at[a].value
			}
		}
		out = append(out, s)
	}
	return out
}

func isNear(a, b uint64) bool { return max(a, b)-min(a, b) <= nearBytes }

// Stalls are findings about loads that wait, where the samples behind one are many and
// those around it few. What another rule says of the same instruction is left to that: a
// CRC's table is in the first cache, and each look-up waits for the one before.
func Stalls(p *profile.Profile, a Answer) []Found {
	taken := map[uint64]string{} // by address, the binary
	for i := range a.Loops {
		for _, m := range a.Loops[i].Matches {
			for _, at := range m.At {
				taken[at] = a.Loops[i].Mapping.Path
			}
		}
	}
	var out []Found
	for i := range a.Stalls {
		s := &a.Stalls[i]
		if missed, known := s.misses(p); s.Jumps && known {
			if missed >= leastMissed {
				continue // which is waited for
			}
			s.Jumps = false
		}
		if s.Kind == kindRun && !s.isShortRun(a) {
			continue
		}
		if isLibc(s.Mapping.Path) || taken[s.Load.Address] == s.Mapping.Path || !s.isEnough(p) || !s.canBeChanged() {
			continue
		}
		out = append(out, s.found(p, a))
	}
	return out
}

// isShortRun says whether the recording has counted that the rows which a loop goes along are short.
func (s *Stall) isShortRun(a Answer) bool {
	l := s.loop(a)
	if l == nil {
		return false
	}
	times, of, _ := l.trips()
	return times > 0 && times*float64(s.Element) <= longestRun && of >= fewestClosed
}

// loop is the innermost loop around the load, nil where there is none.
func (s *Stall) loop(a Answer) *Loop {
	i := slices.IndexFunc(a.Loops, func(l Loop) bool {
		return l.Innermost && l.Mapping.Path == s.Mapping.Path && l.covers(s.Load.Address)
	})
	if i < 0 {
		return nil
	}
	return &a.Loops[i]
}

// hashTable are functions of a library's hash tables: through these nobody can look up several
// keys at a time. That another one is faster is for entries of the catalogue to say.
var hashTable = regexp.MustCompile(`\bhashbrown::|\b_Hashtable|\b__hash_table|\braw_hash_set\b|\bunordered_(multi)?(map|set)\b`)

func (s *Stall) isOfHashTable() bool {
	return slices.ContainsFunc(s.Load.Lines, func(f profile.Frame) bool {
		return hashTable.MatchString(f.Function.Name) && finding.IsInstalled(f.Function.File, "")
	})
}

// canBeChanged tells whether the reader can act on a load that waits. The code is theirs
// and has a line, not an interpreter's or a library's; how the address comes about says
// what to change, which the first touch of an object does not; and the samples are not
// those of a branch that may as well have been guessed wrongly.
func (s *Stall) canBeChanged() bool {
	frame, ok := Edited(s.Load.Lines)
	switch {
	case !ok || s.Kind == "object" || s.Jumps && s.Kind != "chase":
		return false
	case s.Kind == "table" && s.isOfHashTable():
		return false
	}
	return origin.OfFunction(&profile.Function{Name: s.Function, File: frame.Function.File, Kind: profile.KindNative}, s.Mapping.Path) == origin.Own &&
		!finding.IsInstalled(frame.Function.File, "")
}

// misses says how often the jump behind a comparison with memory is mispredicted, where the
// recording has followed it.
func (s *Stall) misses(p *profile.Profile) (part float64, known bool) {
	const far = 16 // bytes of the comparison, and of a move between it and its jump
	for _, b := range p.Meta.Branches {
		if after := b.Address - s.Load.Address; b.Path == s.Mapping.Path && b.Address > s.Load.Address && after <= far && b.Seen >= fewestSeen && b.Judged > 0 {
			return float64(b.Missed) / float64(b.Judged), true
		}
	}
	return 0, false
}

func (s *Stall) isEnough(p *profile.Profile) bool {
	self := float64(s.Self)
	near := timesNear
	if s.Kind == kindRows || s.Kind == kindRun {
		near = timesNearRows
	}
	return s.Count >= fewestStall && self >= leastStall*float64(p.Total()) &&
		self >= leastOfCode*float64(s.Whole) && self >= near*float64(s.Near)
}

func (s *Stall) found(p *profile.Profile, a Answer) Found {
	total := float64(max(p.Total(), 1))
	share := float64(s.Self) / total
	margin := finding.ShareError(share, p.Count())
	l := &Loop{
		Function: s.Function, Mapping: s.Mapping, Start: s.Load.Address, End: s.At + 1,
		Ranges: [][2]uint64{{s.At, s.At + 1}}, Self: s.Self, Count: s.Count,
	}
	where := ""
	if f, ok := Edited(s.Load.Lines); ok {
		l.File, l.Line, l.EndLine = f.Function.File, int(f.Line), int(f.Line)
		where = fmt.Sprintf(" (%s:%d)", filepath.Base(l.File), l.Line)
		if f.Function.Name != s.Function {
			l.Inlined = f.Function.Name
		}
	}
	k := stallKinds[s.Kind]
	if s.Kind == kindTable && 0 < s.Used && leastSpread*s.Used <= s.Element {
		k.title = fmt.Sprintf("%d of %d bytes of an element are used", s.Used, s.Element)
		k.steps = spreadSteps
	}
	title := "Load may miss the cache: " + k.title
	caveats := []string{"the clock shows that it waits, and not for which cache; events of the processor say that, where the machine has them: perf stat -e cache-misses,dTLB-load-misses, perf mem record"}
	if s.Jumps {
		title = "Compare misses the cache or mispredicts: " + k.title
		caveats = append(caveats, "a comparison and its jump retire as one: a wrong guess has its samples at the same place (perf stat -e branch-misses)")
	}
	reach, basis := share, "the samples attributed to the load; what a change leaves of them is a guess"
	around := s.loop(a)
	if k.whole && around != nil {
		reach, basis = float64(around.Self)/total, "the samples of the loop, whose other accesses go by rows as well; what a change leaves of them is a guess"
	}
	near := float64(s.Near) / total
	place := finding.Place{Binary: s.Mapping.Path, BuildID: s.Mapping.BuildID, Function: s.Function, File: l.File, Line: l.Line, EndLine: l.EndLine}
	evidence := []finding.Evidence{
		{Kind: evidenceKind, Text: fmt.Sprintf("%x: %s%s", s.Load.Address, s.Load.Text, where), Share: &share},
		{Kind: evidenceKind, Text: fmt.Sprintf("all the code within %d bytes of it: %s", nearBytes, percent.Column(near)), Share: &near},
	}
	if s.Kind == kindRun {
		times, of, _ := around.trips()
		evidence = append(evidence, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("a row has %.3g elements on average (of %d that were followed), and the next begins where a pointer says", times, of)})
	}
	if text := s.known(); text != "" {
		evidence = append(evidence, finding.Evidence{Kind: evidenceKind, Text: text})
	}
	id := identity(StallRule, s.Mapping, s.function, s.Kind) // one for all loads of a kind: they are of one walk or one table
	return Found{Loop: l, whole: id, Finding: finding.Finding{
		Rule: StallRule, Title: title, Certainty: finding.Suspected, Place: place,
		ID:       id,
		Share:    finding.Share{Exclusive: &share, Error: &margin},
		Gain:     &finding.Gain{High: highStall * reach, Basis: basis},
		Evidence: evidence,
		Fix:      finding.Fix{Kind: inCode, Steps: slices.Clone(k.steps), Caveats: caveats},
	}}
}

// highStall is what may be saved of a wait: a line that is fetched earlier is waited for
// less, and seldom not at all.
const highStall = 0.8

// known says since when the address is known: so much earlier it could be fetched. Where
// several ways lead to the load it may be longer.
func (s *Stall) known() string {
	const worth = 2 // instructions: in less nothing is fetched
	switch {
	case s.Kind == "chase":
		return "its address is what the iteration before loaded"
	case s.Ahead >= worth:
		return fmt.Sprintf("its address is known for at least %d instructions", s.Ahead)
	}
	return ""
}

const prefetch = "__builtin_prefetch where the address is first known, or for the element after next while this one is worked on"

// stallKinds are what to change, by where the address comes from.
var stallKinds = map[string]struct {
	title string
	steps []string
	whole bool // it is about all accesses of the loop
}{
	"rows": {"each pass is a row further", []string{
		"swap the loops, so that the innermost goes along a row: elements that lie side by side share a cache line, and are fetched ahead",
		"where both orders are needed: blocks of 16 to 64 columns (tiling), or a transposed copy that is made once",
	}, true},
	"chase": {"each address is loaded from the one before", []string{
		"keep the elements one behind the other (an array, an arena in the order of the walk): then the processor fetches ahead",
		"or shorten the chain: a larger table, a better hash, several elements in each node",
		"or walk several chains at a time, so that their waits overlap",
	}, false},
	kindRun: {"each short row begins elsewhere", []string{
		"prefetch the beginning of the next rows while this one is worked on: __builtin_prefetch(rows[i + 2].items)",
		"or keep all rows one behind the other in one array, in the order in which they are read, with the place where each begins",
	}, false},
	"pointer": {"what a pointer from memory points to", []string{
		prefetch,
		"or keep what is read here beside the pointer (a key, a length, a hash), so that most pointers are not followed",
		"or keep the fields that are used together in one cache line, and the elements smaller",
	}, false},
	"table": {"an entry of a table whose index is computed", []string{
		"look up several at a time: compute the indices of a batch first, prefetch, then read",
		prefetch,
		"make the table smaller: narrower entries, the keys apart from the rest",
	}, false},
}
