package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	builtin "whyhot/catalog"
	"whyhot/internal/explain"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/newrule"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/profile"
	"whyhot/internal/report/foldedtext"
	"whyhot/internal/report/term"
)

// schemaName is the file beside a user's own entries that editors check them with.
const schemaName = "whyhot-entry.schema.json"

func newRulesNewCmd() *cobra.Command {
	var (
		draft   newrule.Draft
		load    loadFlags
		dir     string
		profile string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "new ID --dir DIR",
		Short: "Create a rule",
		Long: `Writes DIR/ID.yaml: an entry about the functions of --function that passes "rules
check", with a test in which it finds something and one in which it is silent. What
is left to write is marked "(to write)", and "rules check" lists it. With --profile
the tests are made of the hottest stacks of a real profile. Beside it stands
` + schemaName + `, by which editors complete keys and mark mistakes.`,
		Example: `  whyhot rules new our-old-tokenizer --dir rules --function acme::OldTokenizer::next
  whyhot rules new our-old-tokenizer --dir rules --function acme::OldTokenizer::next --profile cpu.pb.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			draft.ID = args[0]
			if profile != "" {
				var err error
				if draft.Folded, err = foldedOf(cmd, profile, load); err != nil {
					return err
				}
			}
			return writeDraft(cmd, dir, draft, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "dir", "", "the `DIR` of your rules, which is made if it is not there (required)")
	flags.StringArrayVar(&draft.Functions, "function", nil, "a function's `NAME` as \"whyhot top\" shows it (repeatable)")
	flags.StringVar(&profile, "profile", "", "make the tests of the profile `FILE`")
	flags.StringVar(&draft.Ecosystem, "ecosystem", "native", "one of "+strings.Join(catalog.Ecosystems, ", "))
	flags.BoolVar(&asJSON, "json", false, "print what was written as JSON")
	load.add(cmd)
	if err := cmd.MarkFlagRequired("dir"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// foldedOf is a profile as folded stacks.
func foldedOf(cmd *cobra.Command, path string, load loadFlags) (string, error) {
	p, err := loadProfile(cmd, path, load)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = foldedtext.Write(&out, p, foldedtext.Options{Binaries: true, RootLabel: profile.LabelProcess})
	return out.String(), err
}

// writeDraft writes a draft that passes its own tests, and never over another file.
func writeDraft(cmd *cobra.Command, dir string, draft newrule.Draft, asJSON bool) error {
	draft.Schema = "./" + schemaName
	text, err := draft.Text()
	if err != nil {
		return err
	}
	if err := explain.CheckDraft(cmd.Context(), draft.File(), text); err != nil {
		return fmt.Errorf("the draft does not pass its own tests: %w", err)
	}
	file := filepath.Join(dir, draft.File())
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already; choose another ID or remove it", file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	schema := filepath.Join(dir, schemaName)
	for path, data := range map[string][]byte{schema: builtin.Schema, file: text} {
		if err := wholefile.Write(path, 0o644, wholefile.Bytes(data)); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	check := []string{programName, "rules", "check", dir}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), map[string]any{"file": file, "schema": schema, "next": check})
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	out.Line("written: " + term.Clean(file) + ", with two tests that pass")
	out.Line()
	for _, step := range [][2]string{
		{"write", "$EDITOR " + file},
		{"check", term.CommandLine(check)},
		{"read", term.CommandLine([]string{programName, "rules", "show", draft.ID, "--rules", dir})},
		{"use", term.CommandLine([]string{programName, explainName, "FILE", "--rules", dir})},
	} {
		out.Line(fmt.Sprintf("%-6s %s", step[0], term.Clean(step[1])))
	}
	return out.Err()
}

func newRulesSchemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of a rule, for editors",
		Long: `Prints the JSON schema of a catalogue entry. An editor with a YAML language server
completes keys by it where the first line of a file is
  # yaml-language-server: $schema=PATH`,
		Example: "  whyhot rules schema > rules/" + schemaName,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(builtin.Schema)
			return err
		},
	}
}
