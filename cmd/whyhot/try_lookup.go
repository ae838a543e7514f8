package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
	"whyhot/internal/trial/experiment"
)

// tryLookup reads a profile; "-" is the standard input. With an empty finding id
// it gives the command only; a finding that the profile does not have is an error.
type tryLookup func(ctx context.Context, profile, findingID string, rules []string) (experiment.Target, error)

// lookUpTarget finds in a profile what a trial needs to know: the recorded
// command, and what the finding proposes to preload.
func lookUpTarget(ctx context.Context, path, findingID string, rules []string) (experiment.Target, error) {
	p, err := ingest.Open(ctx, path, ingest.Options{Stdin: os.Stdin})
	if err != nil {
		return experiment.Target{}, err
	}
	target := experiment.Target{Command: p.Meta.Command}
	if findingID == "" {
		return target, nil
	}
	_, entry, err := judged(ctx, p, path, findingID, rules)
	if err != nil || entry == nil {
		return target, err
	}
	target.Env = entry.Swap.Env
	target.Preload = preloads(entry)
	return target, nil
}

// preloads are the libraries that an entry proposes to preload.
func preloads(entry *catalog.Entry) []string {
	var out []string
	for _, c := range entry.Candidates {
		if c.Preload != "" {
			out = append(out, c.Preload)
		}
	}
	return out
}

// judged is a finding of the catalogue on a profile, and the entry that speaks.
func judged(ctx context.Context, p *profile.Profile, path, id string, rules []string) (finding.Finding, *catalog.Entry, error) {
	var err error
	if !allNamed(p) {
		if p, _, err = symbolize(ctx, p, loadFlags{}); err != nil {
			return finding.Finding{}, nil, err
		}
	}
	cat, err := loadCatalog(rules)
	if err != nil {
		return finding.Finding{}, nil, err
	}
	facts := binfacts.New()
	findings, _, err := rule.Run(ctx, p, cat, facts, rule.Options{ProfilePath: path})
	if err != nil {
		return finding.Finding{}, nil, err
	}
	if !slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.ID == id }) {
		general, _, err := rule.Run(ctx, p, cat, facts, rule.Options{ProfilePath: path, Fallback: true})
		if err != nil {
			return finding.Finding{}, nil, err
		}
		findings = withGeneral(findings, general)
	}
	f, err := pickFinding(findings, path, id)
	if err != nil {
		return f, nil, err
	}
	if entry, ok := cat.Entry(f.Rule); ok {
		return f, entry, nil
	}
	return f, nil, nil
}

func pickFinding(findings []finding.Finding, path, id string) (finding.Finding, error) {
	ids := make([]string, 0, len(findings))
	for _, f := range findings {
		if f.ID == id {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return finding.Finding{}, fmt.Errorf("%s has no finding %s: it has none at all", path, id)
	}
	return finding.Finding{}, fmt.Errorf("%s has no finding %s; it has %s", path, id, strings.Join(ids, ", "))
}

// placeOf reads FILE:LINE.
func placeOf(want string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(want, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(want[i+1:])
	return want[:i], line, err == nil && line > 0
}
