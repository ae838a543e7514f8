package explain

import (
	"context"
	"fmt"
	"strings"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Found is a finding and what can be made of it.
type Found struct {
	finding.Finding

	// Preload are the libraries that it proposes to preload, Env the NAME=VALUE that
	// it proposes to set: what can be tried without a change to the program.
	Preload []string
	Env     []string
}

// Find gives the finding of the catalogue with an id on a profile, general advice
// included. path names the profile in errors and commands. Of a compiler's report the
// finding is its id and rule alone: the report is not at hand.
func Find(ctx context.Context, p *profile.Profile, path string, rules Rules, id string) (Found, error) {
	if f, ok := ofRemark(id); ok {
		return f, nil
	}
	found, _, err := rule.Run(ctx, p, rules.Catalog, binfacts.New(), rule.Options{ProfilePath: fileName(path), Rules: rules.dirs})
	if err != nil {
		return Found{}, err
	}
	f, err := Pick(rules.named(found, id), path, id)
	if err != nil {
		return Found{}, err
	}
	out := Found{Finding: f}
	if entry, ok := rules.Catalog.Entry(f.Rule); ok {
		out.Preload, out.Env = preloads(entry), entry.Swap.Env
	}
	return out, nil
}

// FindInSource gives the finding with an id in the source of a build, confirmed or
// not. What is blamed is what the id speaks of unless the options name it.
func FindInSource(ctx context.Context, b *source.Build, o source.Options, id string) (finding.Finding, error) {
	if store := source.StoreOf(id); store != "" && len(o.Stores) == 0 {
		o.Stores = []string{store}
	}
	f, all, err := b.Find(ctx, id, o)
	if err != nil {
		return finding.Finding{}, err
	}
	if f == nil {
		return Pick(all, b.Dir(), id)
	}
	return *f, nil
}

// Pick takes the finding with an id from a list; where names the file of the list in
// the error, "-" being the standard input.
func Pick(findings []finding.Finding, where, id string) (finding.Finding, error) {
	if where == "-" {
		where = "standard input"
	}
	ids := make([]string, 0, len(findings))
	for _, f := range findings {
		if f.ID == id {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return finding.Finding{}, fmt.Errorf("%s has no finding %s: it has none at all", where, id)
	}
	return finding.Finding{}, fmt.Errorf("%s has no finding %s; it has %s", where, id, strings.Join(ids, ", "))
}

// preloads are the libraries that an entry proposes to preload.
func preloads(entry *catalog.Entry) []string {
	var out []string
	for i := range entry.Candidates {
		if lib := entry.Candidates[i].Preload; lib != "" {
			out = append(out, lib)
		}
	}
	return out
}
