package main

import (
	"context"
	"fmt"

	"whyhot/internal/explain"
	"whyhot/internal/fetch"
	"whyhot/internal/trial/experiment"
)

// wantedFinding is what a trial is about: of a profile ("-" is the standard input) a
// finding, or with an empty ID its command only.
type wantedFinding struct {
	profile, id    string
	rules, reports []string
}

// tryLookup says what is tried; a finding that the profile does not have is an error.
// Where that cannot be told, note says so.
type tryLookup func(ctx context.Context, w wantedFinding) (target experiment.Target, note string, err error)

// lookUpTarget finds in a profile what a trial needs to know: the recorded
// command, and what the finding proposes to preload or to set.
func lookUpTarget(ctx context.Context, w wantedFinding) (experiment.Target, string, error) {
	rules, err := explain.LoadRules(w.rules...)
	if err != nil {
		return experiment.Target{}, "", err
	}
	said, err := explain.ReadReports(ctx, w.reports...)
	if err != nil {
		return experiment.Target{}, "", fmt.Errorf("--report: %w", err)
	}
	p, err := fetch.Profile(ctx, w.profile, fetch.Options{NoSymbols: w.id == ""})
	if err != nil {
		return experiment.Target{}, "", err
	}
	target := experiment.Target{Command: p.Meta.Command}
	if w.id == "" {
		return target, "", nil
	}
	found, err := explain.Find(ctx, explain.Request{Profile: p.Profile, Path: w.profile, Rules: rules, Remarks: said}, w.id)
	if err != nil {
		return experiment.Target{}, "", err
	}
	target.Preload, target.Env = found.Fix.Preload, found.Fix.Env
	note := ""
	if found.Unchecked != "" {
		note = fmt.Sprintf("finding %s is not checked: %s; --report names it", w.id, found.Unchecked)
	}
	return target, note, nil
}
