// Package lookup finds the functions of a profile that a person means, and the
// shortest text that means one.
//
// It owns what counts as meant (the exact name, the name as tables shorten it, the
// name without its package, a regular expression, a part of the name) and what is said where that is nothing or too much. It takes a
// profile and what was typed; it gives functions. It must never print or import a
// report.
package lookup

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/host/printable"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
)

// Functions resolves what the user calls a function: its exact name, the
// name as the tables shorten it or without its package, or a regular expression
// that matches one function, or with all any number.
func Functions(p *profile.Profile, name string, all bool) ([]profile.FunctionID, error) {
	found, reErr := find(p, name)
	switch {
	case len(found) == 0:
		return nil, notFound(p, name, reErr)
	case all || SameName(p, found):
		return found, nil
	}
	return nil, ambiguous(p, name, found)
}

// find finds all functions that name can mean; reErr says why it is no
// regular expression.
func find(p *profile.Profile, name string) (found []profile.FunctionID, reErr error) {
	tests := []func(string) bool{
		func(s string) bool { return s == name },
		symname.Expand(name).MatchString,
	}
	if special(name) {
		tests = append(tests, unqualified(name).MatchString)
	}
	re, reErr := regexp.Compile(name)
	if reErr == nil {
		tests = append(tests, re.MatchString)
	}
	tests = append(tests, func(s string) bool { return strings.Contains(s, name) })
	return view.Find(p, tests...), reErr
}

// special says that a name means something else as a regular expression: the brackets
// of f[go.shape.string] are a set of letters there. A dot alone still finds itself.
func special(name string) bool {
	return strings.ReplaceAll(regexp.QuoteMeta(name), `\.`, ".") != name
}

// unqualified gives the pattern of names that are this one behind its package,
// namespace or class.
func unqualified(name string) *regexp.Regexp {
	return regexp.MustCompile(`[./:#]` + regexp.QuoteMeta(name) + `(?:[(@ ].*)?$`)
}

// Handle is a short text that Functions takes for the function, for commands
// that people may copy.
func Handle(p *profile.Profile, fn profile.FunctionID) string {
	const width = 48
	name := view.Name(p, fn)
	short := symname.Shorten(name, width)
	if short == name {
		return name
	}
	if found, _ := find(p, short); len(found) > 0 && SameName(p, found) && view.Name(p, found[0]) == name {
		return short
	}
	return name
}

// SameName says that the functions differ in their binary or file only, so that
// the name says well enough which are meant.
func SameName(p *profile.Profile, ids []profile.FunctionID) bool {
	first := view.Name(p, ids[0])
	return !slices.ContainsFunc(ids, func(id profile.FunctionID) bool { return view.Name(p, id) != first })
}

func notFound(p *profile.Profile, name string, reErr error) error {
	if reErr != nil {
		return fmt.Errorf("no function is called %q, and it is no regular expression either: %w", name, reErr)
	}
	if re, err := regexp.Compile("(?i)" + name); err == nil {
		if near := view.Find(p, re.MatchString); len(near) > 0 {
			return fmt.Errorf("no function matches %q; with other capitals there is %s", name, printable.Text(view.Name(p, near[0])))
		}
	}
	if len(p.Samples()) > 0 && view.Unnamed(p) == p.Total() {
		return fmt.Errorf("no function matches %q: the profile names no function at all", name)
	}
	return fmt.Errorf("no function matches %q; whyhot top FILE -n 0 lists them all", name)
}

func ambiguous(p *profile.Profile, name string, found []profile.FunctionID) error {
	const most, width = 10, 70
	var b strings.Builder
	fmt.Fprintf(&b, "%q matches %d functions; give one of these, a narrower pattern, or --all to merge them:", name, len(found))
	short := map[string]int{} // how many of the names become this when shortened
	for _, id := range found {
		short[symname.Shorten(view.Name(p, id), width)]++
	}
	shown := 0
	for _, r := range view.Top(p, view.TopOptions{Sort: view.SortTotal}).Rows {
		if !slices.Contains(found, r.Function) {
			continue
		}
		if shown++; shown > most {
			fmt.Fprintf(&b, "\n  … and %d more", len(found)-most)
			break
		}
		text := view.Name(p, r.Function)
		if s := symname.Shorten(text, width); short[s] == 1 {
			text = s
		}
		fmt.Fprintf(&b, "\n  %5.1f%%  %s", share(p, r.Total), printable.Text(text))
	}
	return errors.New(b.String())
}

// share of all samples, in per cent.
func share(p *profile.Profile, value int64) float64 {
	return 100 * float64(value) / float64(max(1, p.Total()))
}
