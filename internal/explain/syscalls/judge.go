package syscalls

import (
	"context"
	"fmt"
	"path/filepath"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// The rules.
const (
	RuleWrites = "calls-small-writes"
	RuleReads  = "calls-small-reads"
	RulePaths  = "calls-same-file"

	RuleProcesses = "calls-short-processes"
)

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool {
	return rule == RuleWrites || rule == RuleReads || rule == RulePaths || rule == RuleProcesses
}

var rules = map[kind]string{writes: RuleWrites, reads: RuleReads, paths: RulePaths}

// Judge is the judge of system calls.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	for _, g := range small(s.Profile) {
		out.Found = append(out.Found, g.finding(s))
	}
	if x := shortProcesses(s.Profile); x != nil {
		out.Found = append(out.Found, x.finding(s))
	}
	return out, nil
}

func (g *group) finding(s judge.Subject) judge.Found {
	count := s.Profile.Count()
	margin := finding.ShareError(g.share, count)
	at := g.at(s.Profile)
	f := finding.Finding{
		Rule: rules[g.kind], Certainty: finding.Suspected, Place: at.Place, Title: g.title(at.Place),
		ID:    finding.ID(rules[g.kind], finding.Place{}, g.program),
		Share: finding.Share{Inclusive: &g.share, Error: &margin},
		Fix:   finding.Fix{Kind: "code", Steps: []string{cureOf(g.kind, languageOf(at.Kind, at.File, at.Function))}},
	}
	if g.kind == writes {
		f.Fix.Caveats = append(f.Fix.Caveats, "Output that must appear at once, such as a log that is watched or a journal after a crash, has to be flushed")
	}
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "calls", Text: g.why(), Share: &g.share})
	if g.counted != nil {
		f.Certainty = finding.Confirmed
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "counted", Text: g.countedText()})
	}
	const listed = 3
	for i, p := range g.paid {
		if i == listed {
			break
		}
		share := float64(p.Value) / float64(s.Profile.Total())
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "caller", Text: "asked for by " + judge.Where(p.Place), Share: &share})
	}
	f.Gain = g.gain()
	f.Next = s.Versus(f.ID)
	if g.kind == paths && g.counted == nil {
		// Whether the paths are the same comes before any change.
		f.See = append(f.See, f.Next)
		f.Next = finding.Command{Verb: "count", Args: []string{"--profile", s.File()}, Program: s.Program()}
	}
	return judge.Found{Finding: f, Samples: g.samples, Removes: true, Passed: true}
}

// at is the line that pays most. Where no frame is the program's own, since stacks broke
// off, it is the program.
func (g *group) at(p *profile.Profile) ownline.Paid {
	if len(g.paid) > 0 {
		return g.paid[0]
	}
	at := ownline.Paid{Value: g.value, Place: finding.Place{Binary: g.program}}
	weights := map[profile.MappingID]int64{}
	for _, row := range g.samples {
		s := &p.Samples()[row]
		stack := p.Stack(s.Stack)
		for _, loc := range stack {
			m := p.Location(loc).Mapping
			if path := p.Mapping(m).Path; path != "" && p.Function(p.Lines(loc)[0].Function).Kind != profile.KindKernel {
				weights[m] += s.Value
			}
		}
	}
	best := int64(0)
	for m, n := range weights {
		if path := p.Mapping(m); n > best && filepath.Base(path.Path) == g.program {
			best = n
			at.Binary, at.BuildID = path.Path, path.BuildID
		}
	}
	for _, row := range g.samples {
		for _, loc := range p.Stack(p.Samples()[row].Stack) {
			if f := p.Function(p.Lines(loc)[0].Function); f.Kind > profile.KindJIT {
				at.Kind = f.Kind
				return at
			}
		}
	}
	return at
}

// gain: without the calls, what they take in the kernel and on the way there is gone but for
// one call in hundreds. Calls that must stay, such as those of another file on the same
// line, are the lower end.
func (g *group) gain() *finding.Gain {
	const least = 0.6
	low, likely := least, 0.9
	basis := "the calls take %s of the CPU; a buffer leaves one in hundreds of them, and the copying stays"
	if g.kind == paths {
		basis = "the calls take %s of the CPU; how many go away depends on how often the file has to be asked for"
		if g.counted == nil {
			return &finding.Gain{NoEstimate: true, Reach: g.share, Basis: fmt.Sprintf(basis, percent.Text(g.share))}
		}
	}
	text := fmt.Sprintf(basis, percent.Text(g.share))
	if percent.Text(g.way) != percent.Text(0) {
		text += fmt.Sprintf("; the way to them takes %s besides, some of which goes too", percent.Text(g.way))
	}
	const half = 0.5
	return &finding.Gain{Low: low * g.share, Likely: likely*g.share + half*g.way, High: g.share + g.way, Reach: g.share + g.way, Basis: text}
}

func (g *group) title(p finding.Place) string {
	switch g.kind { //nolint:exhaustive // companions are in no group of their own
	case writes:
		return "Many small writes from " + judge.Where(p)
	case reads:
		return "Many small reads from " + judge.Where(p)
	}
	switch g.reopened { //nolint:exhaustive // a file is read or written to
	case writes:
		return "A file is opened for each piece of output in " + judge.Where(p)
	case reads:
		return "A file is opened and read each time in " + judge.Where(p)
	}
	if g.counted != nil {
		return "The same files are looked up repeatedly in " + judge.Where(p)
	}
	return "Files are looked up on a hot path in " + judge.Where(p)
}

func (g *group) why() string {
	switch g.kind { //nolint:exhaustive // companions are in no group of their own
	case writes, reads:
		return fmt.Sprintf("system calls of the kind %s: %s of their samples are in entering and leaving the kernel, and its bookkeeping for each call, not in moving data", g.name, percent.Text(g.overhead))
	}
	if g.reopened != "" {
		return fmt.Sprintf("system calls such as %s that find a file by its path, beside those that %s it and close it", g.name, map[kind]string{writes: "write to", reads: "read"}[g.reopened])
	}
	return fmt.Sprintf("system calls such as %s that find a file by its path, and no listing of directories, as a program has that goes through all files of a tree", g.name)
}

func (g *group) countedText() string {
	c := g.counted
	if g.kind == paths {
		text := fmt.Sprintf("counted: %s(2) and its like %s times with %s different paths", c.Name, judge.Times(c.Count), judge.Times(c.Paths))
		if c.Failed > 0 {
			text += fmt.Sprintf("; %s found nothing", judge.Times(c.Failed))
		}
		return text
	}
	return fmt.Sprintf("counted: %s(2) %s times, %s each on average", c.Name, judge.Times(c.Count), bytes(float64(c.Bytes)/float64(c.Count)))
}

func bytes(n float64) string {
	if n < 1.5 {
		return "1 byte"
	}
	return fmt.Sprintf("%.0f bytes", n)
}
