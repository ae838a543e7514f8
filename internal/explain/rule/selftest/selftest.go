// Package selftest runs the tests that catalogue entries carry: a folded
// profile each, facts that stand in for binaries, and what the entry must say.
//
// It takes a catalogue and a parser of folded stacks and gives one error per
// test that went wrong. The command uses it for users' own rules and the
// project's tests for the built-in ones. It must never import an ingester
// itself.
package selftest

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/rule"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Parse reads folded stacks.
type Parse func(ctx context.Context, folded string) (*profile.Profile, error)

// Run runs the tests of one entry, alone in its catalogue, so that no other
// entry can speak in its place.
func Run(ctx context.Context, cat *catalog.Catalog, entry *catalog.Entry, parse Parse) []error {
	alone := &catalog.Catalog{Entries: []catalog.Entry{*entry}, Families: cat.Families, Runtimes: cat.Runtimes, Memory: cat.Memory}
	var errs []error
	for i := range entry.Tests {
		if err := runOne(ctx, alone, &entry.Tests[i], parse); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: test %q: %w", entry.File, entry.ID, entry.Tests[i].Name, err))
		}
	}
	return errs
}

func runOne(ctx context.Context, cat *catalog.Catalog, t *catalog.Test, parse Parse) error {
	p, err := parse(ctx, t.Profile)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	found, _, err := rule.Run(ctx, p, cat, facts{t}, rule.Options{})
	if err != nil {
		return err
	}
	switch got := said(found); {
	case got == t.Expect, got == catalog.ExpectConfirmed && t.Expect == catalog.ExpectFound:
		return says(found, t.Says)
	default:
		return fmt.Errorf("expected %s, got %s", t.Expect, got)
	}
}

// says looks for a text anywhere in what was found.
func says(found []finding.Finding, text string) error {
	if text == "" || strings.Contains(fmt.Sprintf("%+v", found), text) {
		return nil
	}
	return fmt.Errorf("the finding does not say %q", text)
}

func said(found []finding.Finding) string {
	switch {
	case len(found) == 0:
		return catalog.ExpectSilent
	case found[0].Certainty == finding.Confirmed:
		return catalog.ExpectConfirmed
	default:
		return catalog.ExpectFound
	}
}

// facts answers from the test's own lists: of binaries by base name, of source by
// the path in the profile.
type facts struct{ *catalog.Test }

func (t facts) Source(path string) ([]string, bool) {
	text, ok := t.Sources[path]
	return strings.Split(text, "\n"), ok
}

func (t facts) Binary(m *profile.Mapping) (judge.Binary, judge.Trust) {
	base := m.Path[strings.LastIndexByte(m.Path, '/')+1:]
	for i := range t.Facts {
		if t.Facts[i].Binary == base {
			return binary{&t.Facts[i]}, judge.BuildIDExact
		}
	}
	return nil, judge.NoTrust
}

type binary struct{ *catalog.TestFact }

func (b binary) Defines(re *regexp.Regexp) (string, bool, bool) {
	for _, s := range b.TestFact.Defines {
		if re.MatchString(s) {
			return s, true, true
		}
	}
	return "", false, true
}

func (b binary) Needed() []string                { return b.TestFact.Needed }
func (b binary) Static() bool                    { return b.TestFact.Static }
func (b binary) Package() (name, version string) { return b.TestFact.Package, b.Version }
func (b binary) Producers() []string             { return b.Producer }

func (b binary) String(re *regexp.Regexp) (string, bool) {
	for _, s := range b.Strings {
		if m := re.FindStringSubmatch(s); m != nil {
			return m[len(m)-1], true
		}
	}
	return "", false
}
