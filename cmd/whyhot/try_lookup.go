package main

import (
	"context"

	"whyhot/internal/explain"
	"whyhot/internal/fetch"
)

// lookUpTarget finds in a profile what a trial needs to know: the recorded
// command, and what the finding proposes to preload or to set.
func lookUpTarget(ctx context.Context, path, findingID string, dirs []string) (tryTarget, error) {
	rules, err := explain.LoadRules(dirs...)
	if err != nil {
		return tryTarget{}, err
	}
	p, err := fetch.Profile(ctx, path, fetch.Options{NoSymbols: findingID == ""})
	if err != nil {
		return tryTarget{}, err
	}
	target := tryTarget{Command: p.Meta.Command}
	if findingID == "" {
		return target, nil
	}
	found, err := explain.Find(ctx, p.Profile, path, rules, findingID)
	target.Preload, target.Env = found.Preload, found.Env
	return target, err
}
