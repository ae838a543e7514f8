package hunt

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"whyhot/internal/explain"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/host/allocator"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/profile"
	"whyhot/internal/trial/feedback"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/whatif"
)

// lookUntil is the share of the budget in which patches are written.
const lookUntil = 0.25

// list lists what can be tried, and has all enter the race but what an earlier hunt
// knows.
func (h *hunt) list(ctx context.Context, p *profile.Profile, report finding.Report) {
	in := h.input(ctx, p, report)
	if h.request.Build.Command != "" && h.request.BuildDir != "" {
		h.stagef("writing patches")
		in.Diffs = h.patches(ctx, report)
	}
	h.state.Candidates, h.state.Untried = candidate.List(in)
	h.listFindings(report)
	h.recall()
	for i := range h.state.Candidates {
		c := &h.state.Candidates[i]
		if _, known := h.state.Known[c.Name]; !known {
			h.state.Race.Enter(c.Name, c.Group)
		}
	}
}

// input is what decides which candidates there are.
func (h *hunt) input(ctx context.Context, p *profile.Profile, report finding.Report) candidate.Input {
	r := &h.request
	in := candidate.Input{
		Report: report, Catalog: r.Rules.Catalog, Build: r.Build.Command != "", BuildDir: r.BuildDir,
		BuildCost: float64(h.state.Build) / max(1, float64(h.heatOf(1))),
		Level:     h.state.Level, Has: h.state.Has, Assertions: h.assertions(p),
		Compilers: h.state.Compilers, NoCounts: h.state.NoCounts,
		Find: allocator.NewFinder(), TryAs: "whyhot try --profile " + shellwords.Quote(h.dir.Path(profileName)),
	}
	if r.Suite == "" {
		if programs, err := allocator.Resolve(r.Env, r.Directory, r.Command[0]); err == nil {
			in.Program = candidate.Inspect(programs)
		}
		_, pluginErr := whatif.FindPlugin()
		_, clangErr := whatif.FindClang(ctx)
		in.WhatIf = pluginErr == nil && clangErr == nil
	} else {
		in.Program = candidate.Program{Runtime: candidate.Native}
	}
	in.Feedback, in.Native = h.feedback(p), native(p, r.root())
	_, err := bolt.Find()
	in.BOLT = err == nil
	return in
}

// native is the share of the CPU in native code of the binaries in a directory; 1 where
// no profile says.
func native(p *profile.Profile, root string) float64 {
	if p == nil || p.Total() == 0 {
		return 1
	}
	var sum int64
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) == 0 {
			continue
		}
		kind := p.Function(p.Lines(stack[0])[0].Function).Kind
		rel, err := filepath.Rel(root, p.Mapping(p.Location(stack[0]).Mapping).Path)
		if kind == profile.KindNative && err == nil && filepath.IsLocal(rel) {
			sum += s.Value
		}
	}
	return float64(sum) / float64(p.Total())
}

// feedback writes the profile as the Go toolchain reads it, "" where it has nothing for
// that.
func (h *hunt) feedback(p *profile.Profile) string {
	if p == nil || !slices.Contains(h.state.Compilers, wrapper.Go) {
		return ""
	}
	path := h.dir.Path("default.pgo")
	var said feedback.Summary
	err := wholefile.Write(path, 0o600, func(f *os.File) (err error) {
		said, err = feedback.Write(f, feedback.Request{Profile: p, Format: feedback.GoPGO})
		return err
	})
	if err != nil {
		h.state.notef("no PGO for Go: %v", err)
		return ""
	}
	for _, n := range said.Notes {
		h.state.notef("PGO: %s", n)
	}
	return path
}

// assertions says that a hot program of the tree has assert() in it.
func (h *hunt) assertions(p *profile.Profile) bool {
	if h.request.Build.Command == "" || p == nil {
		return false
	}
	facts := binfacts.New()
	defer func() { _ = facts.Close() }() // only read from
	for _, q := range build.Of(p, facts.Info) {
		if rel, err := filepath.Rel(h.request.root(), q.Binary); err == nil && filepath.IsLocal(rel) && len(q.Assertions) > 0 {
			return true
		}
	}
	return false
}

// patches writes the patches of findings in source, each into a file.
func (h *hunt) patches(ctx context.Context, report finding.Report) []candidate.Diff {
	r := &h.request
	var out []candidate.Diff
	units, err := source.Open(r.path(r.BuildDir))
	if err != nil {
		return nil
	}
	for _, id := range candidate.Unpatched(report) {
		if h.leftUntil(lookUntil) <= 0 {
			h.state.notef("%s", "no more patches were written: a quarter of the budget was over")
			break
		}
		p, err := explain.Patch(ctx, explain.PatchRequest{
			Subject: id, Findings: report.Findings, FindingsFile: profileName, Rules: r.Rules,
			Build: func() (*source.Build, error) { return units, nil }, Dir: r.root(), Every: true,
		})
		if err != nil || !p.Sound() {
			continue // it may still be tried as if it were edited
		}
		for i, p := range append([]fix.Proposal{p}, p.Others...) {
			name := id
			if i > 0 {
				name += "-" + p.Kind
			}
			if d, err := h.diff(id, name, &p); err == nil {
				out = append(out, d)
			}
		}
	}
	return out
}

// diff writes one patch of a finding into a file. Of several kinds of patch, each has
// its own.
func (h *hunt) diff(id, name string, p *fix.Proposal) (candidate.Diff, error) {
	d := candidate.Diff{Finding: id, Path: h.dir.Path(name + ".diff"), What: p.What, Covers: p.Covers.String()}
	for _, a := range p.Assumptions {
		d.Assumptions = append(d.Assumptions, a.Text)
	}
	return d, wholefile.Write(d.Path, 0o600, wholefile.Bytes([]byte(fix.Diff(p.Changes, h.request.root()))))
}

// listFindings keeps the titles of the findings that candidates are about.
func (h *hunt) listFindings(report finding.Report) {
	for i := range report.Findings {
		f := &report.Findings[i]
		for k := range h.state.Candidates {
			for _, id := range h.state.Candidates[k].Findings {
				if id == f.ID {
					h.listFinding(Finding{ID: f.ID, Title: f.Title})
				}
			}
		}
	}
}

func (h *hunt) listFinding(f Finding) {
	for _, o := range h.state.Findings {
		if o.ID == f.ID {
			return
		}
	}
	h.state.Findings = append(h.state.Findings, f)
}
