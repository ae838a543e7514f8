package errorjson

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// program has a command that answers, one that answers and fails, and one without JSON.
func program(out io.Writer) *cobra.Command {
	root := &cobra.Command{Use: "program", SilenceErrors: true, SilenceUsage: true}
	add := func(name string, run func(*cobra.Command, []string) error) *cobra.Command {
		cmd := &cobra.Command{Use: name, RunE: run, Args: cobra.MaximumNArgs(1)}
		root.AddCommand(cmd)
		return cmd
	}
	add("fail", func(*cobra.Command, []string) error {
		return errors.New(`reading: "a; \"b.pb.gz": it is empty; record it again`)
	}).Flags().Bool(flag, false, "")
	add("half", func(cmd *cobra.Command, _ []string) error {
		_, _ = io.WriteString(cmd.OutOrStdout(), "{}\n")
		return errors.New("refuted")
	}).Flags().Bool(flag, false, "")
	add("text", func(*cobra.Command, []string) error { return errors.New("no") })
	root.SetOut(out)
	root.SetErr(io.Discard)
	return root
}

func TestErrorsAreJSONWhereJSONWasAskedFor(t *testing.T) {
	const told = `{
  "error": {
    "message": "reading: \"a; \\\"b.pb.gz\": it is empty",
    "hint": "record it again"
  }
}
`
	for _, test := range []struct{ args, want string }{
		{"fail", ""},
		{"fail --json", told},
		{"fail --json=false", ""},
		{"fail -- --json", ""},
		{"half --json", "{}\n"}, // it has answered
		{"half", "{}\n"},
		{"text --json", ""},
	} {
		var out bytes.Buffer
		if err := Execute(t.Context(), program(&out), strings.Fields(test.args)); err == nil {
			t.Errorf("%s: no error", test.args)
		}
		if out.String() != test.want {
			t.Errorf("%s: %q", test.args, out.String())
		}
	}
}

// Arguments that are wrong leave no flag read.
func TestWrongArgumentsAreToldAsJSON(t *testing.T) {
	for _, args := range []string{"fail --json --unknown", "fail a b --json", "unknown --json"} {
		var out bytes.Buffer
		err := Execute(t.Context(), program(&out), strings.Fields(args))
		if err == nil || !strings.HasPrefix(out.String(), "{\n  \"error\": {\n    \"message\": \"") {
			t.Errorf("%s: %v, %q", args, err, out.String())
		}
	}
}
