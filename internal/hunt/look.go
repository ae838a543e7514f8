package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/explain"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/host/allocator"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/whatif"
)

// lookUntil is the share of the budget in which patches are written.
const lookUntil = 0.25

const profileName = "profile.pb.gz"

// look records the command, explains what is hot, and lists what can be tried.
func (h *hunt) look(ctx context.Context) error {
	h.stagef("recording")
	lines, err := h.lines()
	if err != nil {
		return err
	}
	before, err := h.request.stamps(ctx)
	if err != nil {
		return err
	}
	watch := noise.Start()
	run, cpu, err := h.once(ctx, lines)
	if err != nil {
		return err
	}
	h.state.Run = run
	h.decide(watch.Busy(cpu))
	// What the command wrote into the tree is there now, and is no part of what is
	// built from it.
	after, err := h.request.stamps(ctx)
	if err != nil {
		return err
	}
	h.state.Products = after.Since(before)
	h.request.Build.Products = h.state.Products
	if h.subject, err = h.request.subjectOf(ctx, h.state.Products); err != nil {
		return err
	}
	h.state.Subject = h.subject
	if h.request.Build.Command != "" {
		if err := h.buildPlain(ctx, lines); err != nil {
			return err
		}
	}
	report := finding.Report{}
	if err := h.record(ctx, lines, h.times(cpu)); err != nil {
		if ctx.Err() != nil {
			return err
		}
		h.state.notef("no findings, since the recording failed: %v", err)
	} else if report, err = h.explain(ctx); err != nil {
		return err
	}
	in := h.input(ctx, report)
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
	h.listener.Remark(fmt.Sprintf("%s on the profile; %s to try", plural(len(report.Findings), "finding"), plural(len(h.state.Race.Standings), "candidate")))
	return ctx.Err()
}

// decide has CPU time decide where others keep the machine busy and nobody has said
// what does: a process that waits for a CPU takes longer, and how long is chance.
func (h *hunt) decide(busy float64) {
	const share = 0.5
	if h.request.Metric.Given() || h.request.Suite != "" || busy < share*float64(runtime.NumCPU()) {
		return
	}
	h.state.Metric = string(trial.CPU)
	h.request.Metric.Name = h.state.Metric
	text := fmt.Sprintf("other processes keep %.1f of %d CPUs busy, so CPU time decides (--metric wall: elapsed time)", busy, runtime.NumCPU())
	h.state.notef("%s", text)
	h.listener.Remark(text)
}

// line is a command as the recording runs it.
type line struct {
	args  []string
	env   []string
	dir   string
	stdin string
}

func (h *hunt) lines() ([]line, error) {
	r := &h.request
	if r.Suite != "" {
		return h.suiteLines()
	}
	return []line{{args: r.Command, env: r.Env, dir: r.Directory, stdin: r.Stdin}}, nil
}

// once runs everything once and says how long it takes. A command that fails is not
// worth hunting.
func (h *hunt) once(ctx context.Context, lines []line) (wall, cpu time.Duration, err error) {
	runner, err := run.New()
	if err != nil {
		return 0, 0, err
	}
	defer runner.Close()
	for _, l := range lines {
		r, err := runner.Run(ctx, run.Spec{Args: l.args, Env: l.env, Dir: l.dir, Stdin: l.stdin, Pin: h.request.Pin, Timeout: h.request.Budget})
		if err != nil {
			return 0, 0, err
		}
		if r.End.Failed() && !h.request.IgnoreFailure || r.End.Limit > 0 {
			text := r.StderrTail
			if text != "" {
				text = "; its last words:\n" + text
			}
			hint := ""
			if r.End.Limit == 0 && r.End.Signal == 0 {
				hint = " (where that is its usual status: --ignore-failure)"
			}
			return 0, 0, fmt.Errorf("%s: %s%s%s", shellwords.Join(l.args), r.End.String(), hint, text)
		}
		wall += r.Wall
		cpu += r.User + r.System
	}
	return wall, cpu, nil
}

// buildPlain builds the program as it is: what that takes says which other builds the
// budget has room for.
func (h *hunt) buildPlain(ctx context.Context, lines []line) error {
	h.stagef("building it as it is")
	until := h.now().Add(h.left())
	plain, err := h.bench.plain(ctx, lines[0].args, until)
	if err != nil && ctx.Err() == nil && h.now().After(until) {
		return fmt.Errorf("the build alone takes longer than --budget %s: %w", h.request.Budget, err)
	}
	if err != nil {
		return err
	}
	h.state.Build, h.state.Level, h.state.Has = plain.Took, plain.Level, plain.Has
	return nil
}

// times is how often the recording runs the command: for enough CPU time to judge by,
// but not for more than a part of the budget.
func (h *hunt) times(cpu time.Duration) int {
	const wanted, most, part = 3 * time.Second, 500, 12
	n := int(wanted/max(cpu, time.Millisecond)) + 1
	room := int(h.request.Budget / part / max(h.state.Run, time.Millisecond))
	return max(1, min(n, most, room))
}

// record makes a profile of the command, which runs as often as it takes to have
// samples.
func (h *hunt) record(ctx context.Context, lines []line, times int) error {
	script := h.dir.Path("record.sh")
	if err := wholefile.Write(script, 0o600, wholefile.Bytes([]byte(scriptOf(lines, times)))); err != nil {
		return fmt.Errorf("preparing the recording: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	_, err = session.Record(ctx, session.Options{
		Target: collect.Target{Command: []string{"/bin/sh", script}}, Sampler: session.Auto,
		Settings: collect.Settings{Frequency: 499},
		Streams:  command.Streams{In: null, Out: null, Err: null},
		Output:   h.dir.Path("raw-" + profileName),
		Deliver: func(_ context.Context, p *profile.Profile) error {
			p.Meta.Command = h.request.name()
			return wholefile.Write(h.dir.Path(profileName), 0o600, func(f *os.File) error { return pprof.Write(f, p) })
		},
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// scriptOf runs the commands one after the other, several times.
func scriptOf(lines []line, times int) string {
	var b strings.Builder
	b.WriteString("i=0\nwhile [ $i -lt " + strconv.Itoa(times) + " ]; do\n")
	for _, l := range lines {
		in := l.stdin
		if in == "" {
			in = os.DevNull
		}
		fmt.Fprintf(&b, "(cd %s && %s <%s >/dev/null 2>&1)\n", shellwords.Quote(l.dir), shellwords.Join(l.args), shellwords.Quote(in))
	}
	b.WriteString("i=$((i+1))\ndone\n")
	return b.String()
}

// explain asks what is hot and why.
func (h *hunt) explain(ctx context.Context) (finding.Report, error) {
	h.stagef("explaining")
	r := &h.request
	path := h.dir.Path(profileName)
	p, err := fetch.Profile(ctx, path, fetch.Options{})
	if err != nil {
		return finding.Report{}, err
	}
	ask := explain.Request{Profile: p.Profile, Path: path, Rules: r.Rules, Machine: true}
	if r.BuildDir != "" {
		units, err := source.Open(r.path(r.BuildDir))
		if err != nil {
			return finding.Report{}, err
		}
		ask.Source = &explain.SourceRequest{Build: units}
	}
	report, err := explain.Explain(ctx, ask)
	if err != nil && ask.Source != nil && ctx.Err() == nil {
		// Without its analyser the hunt still has everything else.
		h.state.notef("the source was not analysed: %v", err)
		ask.Source = nil
		report, err = explain.Explain(ctx, ask)
	}
	return report, err
}

func (h *hunt) input(ctx context.Context, report finding.Report) candidate.Input {
	r := &h.request
	in := candidate.Input{
		Report: report, Catalog: r.Rules.Catalog, Build: r.Build.Command != "", BuildDir: r.BuildDir,
		BuildCost: float64(h.state.Build) / max(1, float64(h.heatOf(1))),
		Level:     h.state.Level, Has: h.state.Has, Assertions: h.assertions(ctx),
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
	_, err := bolt.Find()
	in.BOLT = err == nil
	return in
}

// assertions says that a hot program of the tree has assert() in it.
func (h *hunt) assertions(ctx context.Context) bool {
	if h.request.Build.Command == "" {
		return false
	}
	p, err := fetch.Profile(ctx, h.dir.Path(profileName), fetch.Options{})
	if err != nil {
		return false // there was no recording
	}
	facts := binfacts.New()
	defer func() { _ = facts.Close() }() // only read from
	for _, q := range build.Of(p.Profile, facts.Info) {
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

// apply writes the patches that are proved into the source.
func (h *hunt) apply(ctx context.Context, result *Result) error {
	var failed []error
	for i := range result.Proved {
		v := &result.Proved[i]
		if v.Kind != candidate.Patch {
			continue
		}
		if out, err := patchWith(ctx, h.request.root(), v.Patch, "--dry-run"); err != nil {
			failed = append(failed, fmt.Errorf("%s is not applied: %s", filepath.Base(v.Patch), strings.TrimSpace(out)))
			continue
		}
		if out, err := patchWith(ctx, h.request.root(), v.Patch); err != nil {
			failed = append(failed, fmt.Errorf("%s: %s", filepath.Base(v.Patch), strings.TrimSpace(out)))
			continue
		}
		v.Applied = true
	}
	return errors.Join(failed...)
}

func patchWith(ctx context.Context, dir, file string, more ...string) (string, error) {
	args := append([]string{"-p1", "--batch", "--forward", "-d", dir, "-i", file}, more...)
	out, err := exec.CommandContext(ctx, "patch", args...).CombinedOutput()
	return string(out), err
}
