package userrule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
)

// marker ends a fixture's line that the rule must match.
const marker = "// match"

// Check runs every rule over its own fixtures and joins what is wrong.
func Check(ctx context.Context, binary string, rules []Rule) error {
	dir, err := os.MkdirTemp("", "whyhot-fixtures-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var wrong []error
	for _, r := range rules {
		for i, f := range r.Fixtures {
			if err := checkOne(ctx, binary, dir, r, f); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %s, fixture %d: %w", r.File, r.ID, i+1, err))
			}
		}
	}
	return errors.Join(wrong...)
}

func checkOne(ctx context.Context, binary, dir string, r Rule, f Fixture) error {
	command := []string{"clang++", "-std=c++20", "-O2", "-c"}
	name := "fixture.cpp"
	if f.Lang == "c" {
		command, name = []string{"clang", "-O2", "-c"}, "fixture.c"
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(f.Code), 0o600); err != nil {
		return err
	}
	unit, err := compdb.FromCommand(dir, "", append(command, path))
	if err != nil {
		return err
	}
	opts := analyzer.Options{Binary: binary, Workers: 1, AST: analyzer.ASTRequest{
		Layers: []string{analyzer.LayerAST}, ASTRules: []string{"none"}, UserRules: ForAnalyzer([]Rule{r}),
	}}
	var got analyzer.Outcome
	if err := analyzer.Run(ctx, []compdb.Unit{unit}, opts, func(o analyzer.Outcome) { got = o }); err != nil {
		return err
	}
	switch {
	case got.Err != nil:
		return got.Err
	case len(got.Reply.Errors) > 0:
		return fmt.Errorf("does not compile: %s", got.Reply.Errors[0])
	case len(got.Reply.RuleErrors) > 0:
		return errors.New(got.Reply.RuleErrors[0])
	}
	return compare(f.Code, got.Reply.Matches)
}

func compare(code string, matches []analyzer.Match) error {
	matched := map[int]bool{}
	for _, m := range matches {
		matched[m.Place.Line] = true
	}
	for i, l := range strings.Split(code, "\n") {
		want := strings.HasSuffix(strings.TrimRight(l, " \t\r"), marker)
		switch {
		case want && !matched[i+1]:
			return fmt.Errorf("line %d does not match: %s", i+1, strings.TrimSpace(l))
		case !want && matched[i+1]:
			return fmt.Errorf("line %d matches and should not: %s", i+1, strings.TrimSpace(l))
		}
	}
	return nil
}
