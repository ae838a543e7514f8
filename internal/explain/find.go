package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/remarks"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

// Found is a finding and what can be made of it.
type Found struct {
	finding.Finding

	// Unchecked says why it is not known whether there is such a finding, "" where it is.
	Unchecked string
}

// Find gives the finding with an id on a profile, of the catalogue with its general
// advice, of machine code, of the build or of a compiler's report. Of the request,
// Profile, Path, Rules, DebugDirs and Remarks count; Path names the profile in errors and
// commands. Where no report is at hand, a finding of one is its id and rule alone.
func Find(ctx context.Context, r Request, id string) (_ Found, err error) {
	if remarks.IsRule(ruleOf(id)) {
		return r.findRemark(ctx, id)
	}
	r.All, r.Source, r.Remarks = true, nil, nil
	r.Machine = machine.IsRule(ruleOf(id)) || build.IsRule(ruleOf(id))
	facts := r.facts()
	defer func() { err = errors.Join(err, facts.Close()) }()
	heard, err := r.hear(ctx, facts, r.judges)
	if err != nil {
		return Found{}, err
	}
	f, err := Pick(heard.findings(), r.Path, id)
	return Found{Finding: f}, err
}

// ruleOf is the rule that an id begins with, "" where it is none.
func ruleOf(id string) string {
	if at := len(id) - len("-01234567"); at > 0 && id[at] == '-' {
		return id[:at]
	}
	return ""
}

func (r Request) findRemark(ctx context.Context, id string) (Found, error) {
	if len(r.Remarks) == 0 {
		return Found{
			Finding:   finding.Finding{ID: id, Rule: ruleOf(id)},
			Unchecked: "it is of a compiler's report, which was not given",
		}, nil
	}
	report, err := Remarks(ctx, r)
	if err != nil {
		return Found{}, err
	}
	f, err := Pick(report.Findings, r.Path, id)
	return Found{Finding: f}, err
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
// the error, "-" being the standard input, and "" a compiler's command line.
func Pick(findings []finding.Finding, where, id string) (finding.Finding, error) {
	switch where {
	case "-":
		where = "standard input"
	case "":
		where = "the command line's source"
	}
	ids := make([]string, 0, len(findings))
	for _, f := range findings {
		if f.ID == id || slices.Contains(f.SameAs, id) {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return finding.Finding{}, fmt.Errorf("%s has no finding %s: it has none at all", where, id)
	}
	const most = 5
	rule := cmp.Or(ruleOf(id), id)
	isMeant := func(id string) bool { return strings.HasPrefix(id, rule) } // these come first
	isOther := func(id string) bool { return !isMeant(id) }
	ids = append(slices.DeleteFunc(slices.Clone(ids), isOther), slices.DeleteFunc(ids, isMeant)...)
	more := ""
	if n := len(ids) - most; n > 1 {
		ids, more = ids[:most], fmt.Sprintf(" and %d more, which scan or explain with --long lists", n)
	}
	return finding.Finding{}, fmt.Errorf("%s has no finding %s; it has %s%s", where, id, strings.Join(ids, ", "), more)
}
