package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule/selftest"
	"whyhot/internal/ingest/folded"
	"whyhot/internal/profile"
	"whyhot/internal/report/term"
)

func newRulesCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "The catalogue of rules: list, show and check them",
		Long: `A rule says what is slow, what is faster, how to replace it and when the advice
is moot. "explain" matches every rule against a profile. Your own rules are YAML
files in a directory that you give with --rules; docs/guide/rules.md shows how to
write one, and "rules check" tests them.`,
	}
	cmd.AddCommand(newRulesListCmd(), newRulesShowCmd(), newRulesCheckCmd())
	return cmd
}

func newRulesListCmd() *cobra.Command {
	var dirs []string
	var ecosystem string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules",
		Example: "  whyhot rules list\n  whyhot rules list --ecosystem python",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cat, err := loadCatalog(dirs)
			if err != nil {
				return err
			}
			out := term.New(cmd.OutOrStdout(), os.Environ())
			t := term.Table{Columns: []term.Column{{Title: "rule"}, {Title: "ecosystem", Optional: 1}, {Title: "family", Optional: 2}, {Title: "what"}}}
			shown := 0
			for i := range cat.Entries {
				e := &cat.Entries[i]
				if ecosystem != "" && e.Ecosystem != ecosystem {
					continue
				}
				t.Add(term.Cell{Text: e.ID}, term.Cell{Text: e.Ecosystem}, term.Cell{Text: e.Family}, term.Cell{Text: e.Title})
				shown++
			}
			if shown == 0 {
				return fmt.Errorf("no rule for the ecosystem %q; there are %s", ecosystem, strings.Join(catalog.Ecosystems, ", "))
			}
			t.Print(out)
			out.Notef("%d of %d rules", shown, len(cat.Entries))
			out.Hint("show one", "whyhot", "rules", "show", cat.Entries[0].ID)
			return out.Err()
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "also list the rules in `DIR` (repeatable)")
	cmd.Flags().StringVar(&ecosystem, "ecosystem", "", "only rules for one: "+strings.Join(catalog.Ecosystems, ", "))
	return cmd
}

func newRulesShowCmd() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one rule in words",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, err := loadCatalog(dirs)
			if err != nil {
				return err
			}
			e, ok := cat.Entry(args[0])
			if !ok {
				return fmt.Errorf("no rule %q; \"whyhot rules list\" lists them", args[0])
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), catalog.Page(e))
			return err
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "also look in `DIR` (repeatable)")
	return cmd
}

func newRulesCheckCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Check the rules in a directory and run their tests",
		Long: `Reads every .yaml file below DIR as strictly as "explain --rules DIR" does and
runs the tests in them. Every error is reported with file and line.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, err := loadCatalog(args)
			if err != nil {
				return err
			}
			own, err := ownEntries(cat, args[0])
			if err != nil {
				return err
			}
			tests := 0
			var errs []error
			for i := range own {
				errs = append(errs, selftest.Run(cmd.Context(), cat, &own[i], parseFolded)...)
				tests += len(own[i].Tests)
			}
			if err := errors.Join(errs...); err != nil {
				return fmt.Errorf("%d of %d tests failed:\n%w", len(errs), tests, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "rules checked: %d, tests passed: %d\n", len(own), tests)
			return err
		},
	}
}

// ownEntries returns the entries of a catalogue that came from a directory and
// not from the built-in ones.
func ownEntries(cat *catalog.Catalog, dir string) ([]catalog.Entry, error) {
	alone := &catalog.Catalog{Families: cat.Families, Runtimes: cat.Runtimes}
	alone, err := alone.With(os.DirFS(dir), ".")
	if err != nil {
		return nil, err
	}
	return alone.Entries, nil
}

func parseFolded(ctx context.Context, text string) (*profile.Profile, error) {
	return folded.Read(ctx, strings.NewReader(text))
}
