package main

import (
	"context"
	"path/filepath"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/fix"
	"whyhot/internal/finding"
	"whyhot/internal/ingest"
)

// findingOf is a finding of the catalogue on a profile.
func findingOf(ctx context.Context, path, id string) (finding.Finding, error) {
	p, err := ingest.Open(ctx, path, ingest.Options{})
	if err != nil {
		return finding.Finding{}, err
	}
	f, _, err := judged(ctx, p, path, id, nil)
	return f, err
}

// link writes the fix of a finding that proposes to preload a library: the
// library is linked where the program is.
func (f *fixFlags) link(found finding.Finding) (fix.Proposal, error) {
	names := []string{f.library}
	if f.library == "" {
		cat, err := catalog.Builtin()
		if err != nil {
			return fix.Proposal{}, err
		}
		entry, ok := cat.Entry(found.Rule)
		if ok {
			names = preloads(entry)
		}
	}
	program := f.program
	if program == "" && found.Place.Binary != "" {
		program = filepath.Base(found.Place.Binary)
	}
	return fix.ProposeLink(fix.LinkOptions{Dir: f.dir, Program: program, Names: names})
}
