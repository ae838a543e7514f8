package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rulepage"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/term"
)

func newRulesCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, show, check and write rules",
		Long: `A rule says what is slow, what is faster, how to replace it and when the advice
does not apply. "explain" matches every rule against a profile. Your own rules are
YAML files in a directory that you give with --rules: catalogue entries
(docs/guide/rules.md) and source rules (docs/rules/user-rules.md). "rules new" begins
one, "rules check" tests them.`,
	}
	cmd.AddCommand(newRulesListCmd(), newRulesShowCmd(), newRulesPagesCmd(), newRulesCheckCmd(), newRulesNewCmd(), newRulesSchemaCmd())
	return cmd
}

func newRulesListCmd() *cobra.Command {
	var dirs []string
	var ecosystem string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules",
		Example: "  whyhot rules list\n  whyhot rules list --ecosystem python",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rules, err := explain.LoadRules(dirs...)
			if err != nil {
				return err
			}
			entries := rules.Catalog.In(ecosystem)
			switch {
			case len(entries) == 0:
				return fmt.Errorf("no rule for the ecosystem %q; there are %s", ecosystem, strings.Join(catalog.Ecosystems, ", "))
			case asJSON:
				return writeJSON(cmd.OutOrStdout(), summaries(entries))
			}
			out := term.New(cmd.OutOrStdout(), os.Environ())
			t := term.Table{Columns: []term.Column{{Title: "rule"}, {Title: "ecosystem", Optional: 1}, {Title: "family", Optional: 2}, {Title: "what"}}}
			for _, e := range entries {
				t.Add(term.Cell{Text: e.ID}, term.Cell{Text: e.Ecosystem}, term.Cell{Text: e.Family}, term.Cell{Text: e.Title})
			}
			t.Print(out)
			out.Notef("%d of %d rules", len(entries), len(rules.Catalog.Entries))
			out.Hint("show one", "whyhot", "rules", "show", entries[0].ID)
			return out.Err()
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "also list the rules in `DIR` (repeatable)")
	cmd.Flags().StringVar(&ecosystem, "ecosystem", "", "only rules for one: "+strings.Join(catalog.Ecosystems, ", "))
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the rules as JSON")
	return cmd
}

func summaries(entries []*catalog.Entry) []catalog.Summary {
	out := make([]catalog.Summary, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Summary())
	}
	return out
}

func newRulesShowCmd() *cobra.Command {
	var dirs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RULE",
		Short: "Show one rule",
		Long: `Prints the page of a rule: of an entry of the catalogue, or of a rule about source,
machine code or compilers' remarks. RULE is what a finding's ID begins with.`,
		Example: "  whyhot rules show zlib-ng\n  whyhot rules show machine-division",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := explain.LoadRules(dirs...)
			if err != nil {
				return err
			}
			if asJSON {
				e, ok := rules.Catalog.Entry(args[0])
				if !ok {
					return fmt.Errorf("no entry %q in the catalogue; \"whyhot rules list\" lists them", args[0])
				}
				return writeJSON(cmd.OutOrStdout(), e.Summary())
			}
			page, ok, err := rulepage.Of(rules.Catalog, args[0])
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("no rule %q; \"whyhot rules list\" lists them", args[0])
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), page)
			return err
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "also look in `DIR` (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the entry of the catalogue as JSON")
	return cmd
}

func newRulesPagesCmd() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:   "pages DIR",
		Short: "Write the pages of all rules",
		Long: `Writes a page in Markdown for each rule about source, machine code and remarks, and
for each family of the catalogue, with lists of them, into DIR. Pages that DIR has
are replaced; other files stay.`,
		Example: "  whyhot rules pages docs/rules-of-this-version",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := explain.LoadRules(dirs...)
			if err != nil {
				return err
			}
			pages, err := rulepage.All(rules.Catalog)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages for everybody
				return err
			}
			for name, text := range pages {
				if err := wholefile.Write(filepath.Join(args[0], name), 0o644, wholefile.Bytes([]byte(text))); err != nil {
					return err
				}
			}
			out := term.New(cmd.OutOrStdout(), os.Environ())
			out.Line(fmt.Sprintf("written: %s, %d pages", filepath.Join(args[0], "README.md"), len(pages)))
			return out.Err()
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "rules", nil, "also write the rules in `DIR` (repeatable)")
	return cmd
}

func newRulesCheckCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check DIR…",
		Short: "Check the rules in directories and run their tests",
		Long: `Reads every .yaml file below DIR as strictly as "explain --rules DIR" does, runs
the tests that catalogue entries carry and the fixtures of source rules (those
need the analyser). Every mistake is reported with file and line.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := explain.LoadRules(args...)
			if err != nil {
				return err
			}
			return checkRules(cmd, rules, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write what was checked as JSON")
	return cmd
}

// checkRules runs the tests of the user's rules.
func checkRules(cmd *cobra.Command, rules explain.Rules, asJSON bool) error {
	done, err := rules.Check(cmd.Context())
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), done)
	}
	var parts []string
	if done.Entries > 0 {
		parts = append(parts, fmt.Sprintf("%s with %s", counted(done.Entries, "entry", "entries"), counted(done.Tests, "test", "tests")))
	}
	if done.Matchers > 0 {
		parts = append(parts, fmt.Sprintf("%s with %s", counted(done.Matchers, "source rule", "source rules"), counted(done.Fixtures, "fixture", "fixtures")))
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	out.Line(fmt.Sprintf("rules checked: %s, all as expected", strings.Join(parts, ", ")))
	for _, u := range done.Unwritten {
		out.Line("still to write: " + term.Clean(u))
	}
	return out.Err()
}
