package helptext_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"whyhot/internal/report/helptext"
)

func root() *cobra.Command {
	run := func(*cobra.Command, []string) error { return nil }
	tool := &cobra.Command{Use: "tool", Short: "Do things", SilenceUsage: true, SilenceErrors: true}
	lines := &cobra.Command{
		Use: "lines FILE|--from URL FUNCTION", Short: "Show the cost of each line of a function, in the order of its source", RunE: run,
		Long:    "Shows the cost of each source line of a function, with its text\nif the file is found.\n\n  one   a row of a list that is too long for a narrow terminal\n  two   short",
		Example: "  tool lines cpu.pb.gz parse   # one\n  tool lines x y",
	}
	lines.Flags().String("name", "", "names of what alias-loop-condition-name looks for, one of size and length and count")
	lines.Flags().String("from", "", "take the profile from a server instead of a file, for which there is no name then")
	lines.Args = func(cmd *cobra.Command, args []string) error {
		n := 2
		if cmd.Flags().Changed("from") {
			n = 1
		}
		return cobra.ExactArgs(n)(cmd, args)
	}
	tool.AddCommand(lines,
		&cobra.Command{Use: "fix FINDING|FILE:LINE [-p DIR | -- COMPILER ARG…]", Short: "Fix", Args: cobra.MinimumNArgs(1), RunE: run},
		&cobra.Command{Use: "count [flags] -- COMMAND [ARGUMENT...]", Short: "Count", Args: cobra.MinimumNArgs(1), RunE: run},
		&cobra.Command{Use: "send FILE --to URL", Short: "Send", Args: cobra.ExactArgs(1), RunE: run},
		&cobra.Command{Use: "open FILE [FILE]", Short: "Open", Args: cobra.RangeArgs(1, 2), RunE: run},
		&cobra.Command{Use: "cycles PROFILE | cycles FILE:FUNCTION", Short: "Cycles", Args: cobra.MinimumNArgs(1), RunE: run})
	helptext.Set(tool)
	return tool
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for words, want := range map[string]string{
		"lines":              "missing FILE: tool lines FILE|--from URL FUNCTION; for example: tool lines cpu.pb.gz parse",
		"lines a":            "missing FUNCTION: tool lines FILE|--from URL FUNCTION; for example: tool lines cpu.pb.gz parse",
		"lines --from u":     "missing FUNCTION: tool lines FILE|--from URL FUNCTION; for example: tool lines cpu.pb.gz parse",
		"lines a b c":        `unexpected argument "c": tool lines FILE|--from URL FUNCTION`,
		"lines --from u a b": `unexpected argument "b": tool lines FILE|--from URL FUNCTION`,
		"fix":                "missing FINDING|FILE:LINE: tool fix FINDING|FILE:LINE [-p DIR | -- COMPILER ARG…]",
		"count":              "missing COMMAND: tool count [flags] -- COMMAND [ARGUMENT...]",
		"send":               "missing FILE: tool send FILE --to URL",
		"open":               "missing FILE: tool open FILE [FILE]",
		"cycles":             "missing PROFILE: tool cycles PROFILE | cycles FILE:FUNCTION",
		"lines a b":          "",
	} {
		c := root()
		c.SetArgs(strings.Fields(words))
		got := ""
		if err := c.Execute(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", words, got, want)
		}
	}
}

func TestHelpFollowsTheWidth(t *testing.T) {
	for width, want := range map[string]string{
		"50":  "Shows the cost of each source line of a function,\nwith its text if the file is found.\n\n  one   a row of a list that is too long for a\n        narrow terminal\n  two   short\n",
		"500": "Shows the cost of each source line of a function, with its text if the file is found.\n\n  one   a row of a list that is too long for a narrow terminal\n",
	} {
		t.Setenv("COLUMNS", width)
		var out bytes.Buffer
		for _, words := range []string{"lines --help", "--help"} {
			c := root()
			c.SetOut(&out)
			c.SetArgs(strings.Fields(words))
			if err := c.Execute(); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("at %s:\n%s", width, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 101 || width == "50" && len(line) > 51 {
				t.Errorf("at %s: %q", width, line)
			}
		}
	}
}
