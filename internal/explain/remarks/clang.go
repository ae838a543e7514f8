package remarks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/identity"
	"whyhot/internal/finding"
)

// missedBy is one loop with one pass's failure.
type missedBy struct {
	file         string
	line, column int
	rule         string
}

// group is what the compiler said of one loop and one pass.
type group struct {
	loop  analyzer.SourceLoop
	cause cause
	rank  int
	texts []string         // the remarks themselves, each once
	lines map[string][]int // where each was made
	from  analyzer.Outcome // the first that has it
}

// Missed makes one finding for every loop and pass that missed something in
// it. Without a profile deep loops come first.
func Missed(outcomes []analyzer.Outcome) []finding.Finding {
	groups := map[missedBy]*group{}
	for _, o := range outcomes {
		loops := inProject(o)
		for _, r := range o.Reply.Remarks {
			c, rank, ok := ofPass(r.Pass, r.Kind, r.Name, r.Message)
			if !ok {
				continue
			}
			l, line, ok := innermostAround(loops, r.Where, o.Unit.Directory)
			if !ok {
				continue
			}
			k := missedBy{l.File, l.Line, l.Column, c.Rule}
			g := groups[k]
			if g == nil {
				g = &group{loop: l, cause: c, rank: rank, lines: map[string][]int{}, from: o}
				groups[k] = g
			}
			g.add(c, rank, r, line)
		}
	}
	return sorted(groups)
}

func (g *group) add(c cause, rank int, r analyzer.Remark, line int) {
	if rank < g.rank {
		g.cause, g.rank = c, rank
	}
	text := words(r)
	if !slices.Contains(g.texts, text) {
		g.texts = append(g.texts, text)
	}
	if !slices.Contains(g.lines[text], line) {
		g.lines[text] = append(g.lines[text], line)
	}
}

// words is a remark with the names in it as people write them, without what it
// says of flags.
func words(r analyzer.Remark) string {
	text, _, _ := strings.Cut(strings.TrimSpace(r.Message), ". Use ")
	parts := strings.Fields(text)
	for i, w := range parts {
		if strings.HasPrefix(w, "_Z") {
			parts[i] = demangle.Filter(w)
		}
	}
	return r.Pass + ": " + strings.Join(parts, " ")
}

// IsMissed says whether a finding is about a pass: it is about its own loop, not about
// the loops inside.
func IsMissed(f finding.Finding) bool {
	return isPass(f.Rule)
}

// Loops are the loops of all units, also those of libraries.
func Loops(outcomes []analyzer.Outcome) []analyzer.SourceLoop {
	var out []analyzer.SourceLoop
	for _, o := range outcomes {
		for _, l := range o.Reply.SourceLoops {
			l.File = absolute(l.File, o.Unit.Directory)
			out = append(out, l)
		}
	}
	return out
}

// inProject are the unit's loops in files that somebody edits.
func inProject(o analyzer.Outcome) []analyzer.SourceLoop {
	out := make([]analyzer.SourceLoop, 0, len(o.Reply.SourceLoops))
	for _, l := range o.Reply.SourceLoops {
		l.File = absolute(l.File, o.Unit.Directory)
		if !finding.IsInstalled(l.File, o.Unit.File) {
			out = append(out, l)
		}
	}
	return out
}

func absolute(file, dir string) string {
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	return filepath.Clean(file)
}

// innermostAround is the smallest loop around the place of a remark: around the first
// point of its inlining chain that is in one.
func innermostAround(loops []analyzer.SourceLoop, where []analyzer.Point, dir string) (best analyzer.SourceLoop, line int, ok bool) {
	for _, p := range where {
		file := absolute(p.File, dir)
		for _, l := range loops {
			if l.File != file || p.Line < l.Line || p.Line > max(l.Line, l.EndLine) {
				continue
			}
			if !ok || smaller(l, best) || p.Line == l.Line && p.Column == l.Column {
				best, line, ok = l, p.Line, true
			}
			if p.Line == l.Line && p.Column == l.Column {
				return best, line, true
			}
		}
		if ok {
			return best, line, true
		}
	}
	return best, 0, false
}

func smaller(a, b analyzer.SourceLoop) bool {
	return a.EndLine-a.Line < b.EndLine-b.Line || a.EndLine-a.Line == b.EndLine-b.Line && a.Depth > b.Depth
}

func sorted(groups map[missedBy]*group) []finding.Finding {
	list := make([]*group, 0, len(groups))
	for _, g := range groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(-cmp.Compare(a.loop.Depth, b.loop.Depth), cmp.Compare(a.loop.File, b.loop.File),
			cmp.Compare(a.loop.Line, b.loop.Line), cmp.Compare(a.loop.Column, b.loop.Column), cmp.Compare(a.cause.Rule, b.cause.Rule))
	})
	out := make([]finding.Finding, 0, len(list))
	for _, g := range list {
		out = append(out, g.finding())
	}
	finding.Separate(out)
	return out
}

func (g *group) finding() finding.Finding {
	l := g.loop
	f := finding.Finding{
		Rule:      g.cause.Rule,
		Title:     g.cause.sentence(),
		Certainty: finding.Suspected,
		Place:     finding.Place{Function: demangle.Filter(l.Function), File: l.File, Line: l.Line},
		Fix: finding.Fix{Kind: "code", Steps: g.cause.Steps, Caveats: []string{
			"this is clang 19's remark with the unit's own flags; another compiler may do better or worse",
		}},
	}
	if l.EndLine > l.Line {
		f.Place.EndLine = l.EndLine
	}
	f.ID = identity.Of(g.from, f.Rule, f.Place, l.Column)
	f.Evidence = []finding.Evidence{{Kind: "depth", Text: fmt.Sprintf("a loop of depth %d", l.Depth)}}
	const most = 4
	for _, text := range g.texts[:min(most, len(g.texts))] {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "remark", Text: text + " (" + lineList(g.lines[text]) + ")"})
	}
	if more := len(g.texts) - most; more > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "remark", Text: fmt.Sprintf("%d more remarks of the same kind", more)})
	}
	return f
}

func lineList(lines []int) string {
	slices.Sort(lines)
	const most = 6
	text := make([]string, 0, most)
	for _, n := range lines[:min(most, len(lines))] {
		text = append(text, strconv.Itoa(n))
	}
	s := strings.Join(text, ", ")
	if len(lines) == 1 {
		return "line " + s
	}
	if len(lines) > most {
		s += ", …"
	}
	return "lines " + s
}
