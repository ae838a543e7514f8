package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/trial/referee"
)

// handle is a profile and what is known of it.
type handle struct {
	id      string
	path    string // its name in answers, "" where it has none
	profile fetch.Fetched
	command []string // that was recorded here, nil for profiles of others
	cwd     string   // of the command
	tree    *kept    // nil where no baseline could be kept
	noTree  string   // why

	mu      sync.Mutex
	reports map[string]finding.Report  // by build directory
	trials  map[string][]finding.Trial // made here, by finding
}

// kept is a baseline and its original's hash.
type kept struct{ *referee.Baseline }

const mostHandles = 64

// find gives the handle that a call names.
func (s *Server) find(id string) (*handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.handles[id]; h != nil {
		return h, nil
	}
	known := make([]string, 0, len(s.handles))
	for id := range s.handles {
		known = append(known, id)
	}
	slices.Sort(known)
	if len(known) == 0 {
		return nil, wrong(fmt.Sprintf("unknown handle %q: no profile was opened yet", clip(id, 40)), "call profile first", `{"file": "cpu.pb.gz"}`)
	}
	return nil, wrong(fmt.Sprintf("unknown handle %q", clip(id, 40)), "the handles are "+strings.Join(known, ", "), fmt.Sprintf(`{"profile": %q}`, known[len(known)-1]))
}

// admit makes a handle of a profile.
func (s *Server) admit(ctx context.Context, h *handle) (*handle, error) {
	h.reports, h.trials = map[string]finding.Report{}, map[string][]finding.Trial{}
	if len(h.profile.Samples()) == 0 {
		return nil, wrong("the profile has no samples", "give the command more work, or record it with repeat", "")
	}
	tree, err := s.baseline(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		h.noTree = err.Error()
	}
	h.tree = tree
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.handles) >= mostHandles {
		return nil, wrong(fmt.Sprintf("%d profiles are open", len(s.handles)), "restart the server: it forgets them", "")
	}
	h.id = s.id("p")
	s.handles[h.id] = h
	return h, nil
}

// baseline keeps the tree as it is now. Handles of one state share a copy.
func (s *Server) baseline(ctx context.Context) (*kept, error) {
	sum, err := referee.Sum(ctx, s.o.Rules.Root)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	for _, k := range s.trees {
		if k.Sum() == sum {
			s.mu.Unlock()
			return k, nil
		}
	}
	s.mu.Unlock()
	b, err := referee.Keep(ctx, s.o.Rules.Root, s.private)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &kept{b}
	s.trees = append(s.trees, k)
	return k, nil
}

// report is what explain says of a profile.
func (s *Server) report(ctx context.Context, h *handle, buildDir string) (finding.Report, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.reports[buildDir]; ok {
		return r, nil
	}
	if !s.running.TryRLock() {
		return finding.Report{}, s.busy()
	}
	defer s.running.RUnlock()
	r := explain.Request{Profile: h.profile.Profile, Path: h.path, Rules: s.rules, Machine: true, Trials: h.trials}
	if buildDir != "" {
		build, err := source.Open(buildDir)
		if err != nil {
			return finding.Report{}, wrong(err.Error(), "path is a directory with a compile_commands.json", "")
		}
		r.Source = &explain.SourceRequest{Build: build, Coverage: source.DefaultCoverage}
	}
	report, err := explain.Explain(ctx, r)
	if err != nil {
		return report, err
	}
	h.reports[buildDir] = report
	return report, nil
}

// learn adds a trial of a finding, which the next report has.
func (h *handle) learn(id string, t []finding.Trial) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trials[id] = append(h.trials[id], t...)
	clear(h.reports)
}

// open is the share that no finding is about, where that is known already.
func (h *handle) open() *float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reports {
		if r.Open != nil {
			open := rounded(*r.Open)
			return &open
		}
	}
	return nil
}

// unexplained asks for the share where it is not known yet; nil where it cannot be.
func (s *Server) unexplained(ctx context.Context, h *handle) *float64 {
	if open := h.open(); open != nil {
		return open
	}
	if _, err := s.report(ctx, h, ""); err != nil {
		return nil
	}
	return h.open()
}
