package check

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/check/origin"
	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
)

// explain says why a change is slower.
func (c *checking) explain(ctx context.Context) error {
	if c.result.Verdict != Slower || c.request.NoWhy {
		return nil
	}
	at := slices.IndexFunc(c.result.Commands, func(k Command) bool {
		return k.Verdict == Slower && k.Ratio == c.result.Ratio
	})
	k := &c.commands[at]
	for _, side := range []int{baseSide, headSide} {
		if err := c.setUp(ctx, side, k); err != nil {
			return err
		}
	}
	if err := c.recordBoth(ctx, k, &c.result.Commands[at]); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.notef("why it is slower could not be recorded: %v", err)
		return nil
	}
	tree := origin.New(c.stage.Place())
	for _, side := range []int{baseSide, headSide} {
		if err := tree.Read(c.stage.path(side, "")); err != nil {
			return fmt.Errorf("reading the tree: %w", err)
		}
	}
	before, after := accountOf(c.before, tree, nil), accountOf(c.after, tree, c.diff)
	before.recording, after.recording = c.recordings[baseSide], c.recordings[headSide]
	c.result.Functions, c.result.Moved = grown(before, after, c.took(before, after, &c.result.Commands[at]), c.diff)
	c.placeAtChange(c.result.Functions)
	if len(c.result.Functions) == 0 {
		c.notef("no function grew by more than the sampling error")
		return nil
	}
	if err := c.stage.put(headSide); err != nil {
		return err
	}
	found, err := c.findings(ctx, after.newCost(c.result.Functions), filepath.Join(c.stage.Place(), c.rel), c.stage.Place())
	if err != nil {
		return err
	}
	c.result.Findings = found
	return nil
}

// placeAtChange puts functions where the change touches them: those of programs without line
// numbers, and those whose hottest line is another one.
func (c *checking) placeAtChange(list []Function) {
	without := ""
	for i := range list {
		f := &list[i]
		if f.lineless {
			without = f.Binary
		} else if !f.Edited || c.diff.Touches(f.File, f.Line) {
			continue
		}
		if path, line, ok := c.diff.Of(f.Name); ok && (f.lineless || path == f.File) {
			f.File, f.Line, f.Edited = path, line, true
		}
	}
	if without != "" {
		c.notef("%s has no line numbers: build with -g (it changes no code) to see where its functions are", without)
	}
}

// took is what the trial says of the recorded time, where that is what it measured.
func (c *checking) took(before, after *account, k *Command) work {
	if c.request.Metric == trial.CPU {
		return workOf(k, c.rules.level())
	}
	return recordedWork(before, after)
}

// newCost is the profile of what is charged to some functions.
func (a *account) newCost(list []Function) *profile.Profile {
	return a.p.Filtered(func(s *profile.Sample) bool {
		for _, loc := range a.p.Stack(s.Stack) {
			for _, l := range a.p.Lines(loc) {
				if !a.inTree(l.Function) {
					continue
				}
				k := a.key(l.Function)
				return slices.ContainsFunc(list, func(f Function) bool { return f.Name == k.name && (f.File == k.where || f.Binary == k.where) })
			}
		}
		return false
	})
}

// findings are those of a profile that are on lines that the change adds or touches. here
// is the directory that BuildDir starts from, root that of the tree's files.
func (c *checking) findings(ctx context.Context, p *profile.Profile, here, root string) ([]Finding, error) {
	r := &c.request
	ask := explain.Request{Profile: p, Rules: r.Rules, Machine: true}
	if r.BuildDir != "" {
		c.listener.Step("analysing the source of what is hot")
		s, err := c.source(filepath.Join(here, r.BuildDir), root)
		if err != nil {
			return nil, err
		}
		ask.Source = s
	}
	report, err := explain.Explain(ctx, ask)
	if err != nil {
		return nil, err
	}
	// Without a build, notes are about the profile: how to record more, and what else would
	// have been judged. Nobody can record the new cost alone.
	if r.static() || r.BuildDir != "" {
		c.result.Notes = append(c.result.Notes, report.Notes...)
	}
	var out []Finding
	for i := range report.Findings {
		if found, ok := c.onChange(&report.Findings[i], root); ok && c.inProduction(&found) {
			out = append(out, found)
		}
	}
	return out, nil
}

// inProduction gives a finding its share of the production profile; false where that has
// nothing of its function.
func (c *checking) inProduction(f *Finding) bool {
	p := c.request.Profile
	if p == nil {
		return true
	}
	s := f.Share.Main()
	if !c.request.static() {
		if s = withFunction(p, f.Place.Function); s == 0 {
			return false
		}
	}
	f.Production, f.Hot = &s, hotText(s, c.request.Service)
	return true
}

// withFunction is the share of a profile that has a function on its stacks.
func withFunction(p *profile.Profile, name string) float64 {
	in := int64(0)
	for _, s := range p.Samples() {
		if slices.ContainsFunc(p.Stack(s.Stack), func(loc profile.LocationID) bool {
			return slices.ContainsFunc(p.Lines(loc), func(l profile.Line) bool {
				f := p.Function(l.Function)
				return name != "" && (f.Name == name || f.SystemName == name)
			})
		}) {
			in += s.Value
		}
	}
	return share(in, p.Total())
}

// source is the build, of which only the units count that the change touches; nil where it
// touches none.
func (c *checking) source(dir, root string) (*explain.SourceRequest, error) {
	b, err := source.Open(dir)
	if err != nil {
		return nil, err
	}
	var touched []string
	for _, f := range c.diff.Files {
		if !f.Gone {
			touched = append(touched, filepath.Join(root, f.Path))
		}
	}
	some := b.Touching(touched)
	if some == nil {
		return nil, nil //nolint:nilnil // no unit is touched
	}
	return &explain.SourceRequest{Build: some, Coverage: 1, Options: c.request.Source}, nil
}

// onChange says whether a finding is on lines that the change adds or touches, and hot.
func (c *checking) onChange(f *finding.Finding, root string) (Finding, bool) {
	at, ok := c.touched(&f.Place, root)
	if !ok {
		for i := range f.Sites {
			if at, ok = c.touched(&f.Sites[i].Place, root); ok {
				break
			}
		}
	}
	if !ok || f.Share.Main() <= 0 || f.Certainty == finding.Refuted {
		return Finding{}, false
	}
	out := Finding{Finding: *f}
	out.Place.File, out.Place.Line, out.Place.EndLine = at.File, at.Line, at.EndLine
	return out, true
}

// touched is a place with its file from the root of the repository.
func (c *checking) touched(p *finding.Place, root string) (finding.Place, bool) {
	at := *p
	rel, ok := strings.CutPrefix(p.File, root+"/")
	if !ok {
		rel = c.byTail(p.File)
	}
	at.File = rel
	return at, rel != "" && p.Line > 0 && c.diff.TouchesAny(rel, p.Line, max(p.Line, p.EndLine))
}

// byTail is the changed file that a path of another checkout ends in, "" where none or
// several are.
func (c *checking) byTail(file string) string {
	found := ""
	for _, f := range c.diff.Files {
		if file != "" && (file == f.Path || strings.HasSuffix(file, "/"+f.Path)) {
			if found != "" {
				return ""
			}
			found = f.Path
		}
	}
	return found
}

// hotText says where a finding is hot.
func hotText(share float64, service string) string {
	if service == "" {
		return "hot in production: " + percent.Text(share)
	}
	return "hot in production: " + percent.Text(share) + " of " + service
}
