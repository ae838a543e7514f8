package main

import (
	"context"

	"whyhot/internal/explain"
	"whyhot/internal/fetch"
	"whyhot/internal/trial/experiment"
)

// tryLookup reads a profile; "-" is the standard input. With an empty finding id
// it gives the command only; a finding that the profile does not have is an error.
type tryLookup func(ctx context.Context, profile, findingID string, rules []string) (experiment.Target, error)

// lookUpTarget finds in a profile what a trial needs to know: the recorded
// command, and what the finding proposes to preload or to set.
func lookUpTarget(ctx context.Context, path, findingID string, dirs []string) (experiment.Target, error) {
	rules, err := explain.LoadRules(dirs...)
	if err != nil {
		return experiment.Target{}, err
	}
	p, err := fetch.Profile(ctx, path, fetch.Options{NoSymbols: findingID == ""})
	if err != nil {
		return experiment.Target{}, err
	}
	target := experiment.Target{Command: p.Meta.Command}
	if findingID == "" {
		return target, nil
	}
	found, err := explain.Find(ctx, p.Profile, path, rules, findingID)
	target.Preload, target.Env = found.Preload, found.Env
	return target, err
}
