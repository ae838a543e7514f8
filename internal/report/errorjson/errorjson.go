// Package errorjson says in JSON that a command failed, for programs that asked for JSON.
//
// It owns the form {"error": {"message", "hint"}}, who gets it (a command that was given
// --json and has printed nothing yet) and where a message ends and the advice begins. It
// takes an error and the output of the command. It imports nothing of ours.
package errorjson

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// flag asks for JSON.
const flag = "json"

// answer is what is printed.
type answer struct {
	Error failure `json:"error"`
}

type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do
}

// Execute runs the command that the arguments name (nil: this process's). Where it fails,
// was asked for JSON and has not answered, it prints the error as JSON; the error itself
// is the caller's to print.
func Execute(ctx context.Context, root *cobra.Command, args []string) error {
	if args == nil {
		args = os.Args[1:]
	}
	root.SetArgs(args)
	var out *output
	prepare := root.PersistentPreRun
	root.PersistentPreRun = func(cmd *cobra.Command, rest []string) {
		if prepare != nil {
			prepare(cmd, rest)
		}
		// Other commands keep the output that they have: they ask it for its width.
		if asked(cmd) {
			out = &output{Writer: cmd.OutOrStdout()}
			cmd.SetOut(out)
		}
	}
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
	case out != nil && !out.written:
		_ = writeTo(out, of(err)) // who reads standard error is told
	case out == nil && wanted(cmd, args): // the command did not begin
		f := of(err)
		if f.Hint == "" {
			f.Hint = cmd.CommandPath() + " --help shows how it is called"
		}
		_ = writeTo(cmd.OutOrStdout(), f)
	}
	return err //nolint:wrapcheck // it is the command's
}

// output knows whether something was written.
type output struct {
	io.Writer

	written bool
}

func (o *output) Write(b []byte) (int, error) {
	o.written = o.written || len(b) > 0
	return o.Writer.Write(b) //nolint:wrapcheck // it is the output itself
}

func asked(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool(flag)
	return err == nil && on
}

// wanted tells whether the arguments, which may be wrong, ask for JSON before those that
// belong to another program. A command that is not known is the root.
func wanted(cmd *cobra.Command, args []string) bool {
	if cmd.HasParent() && cmd.Flags().Lookup(flag) == nil {
		return false
	}
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--"+flag) || slices.Contains(args, "--"+flag+"=true")
}

func writeTo(w io.Writer, f failure) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(answer{f}) //nolint:wrapcheck // the caller says what it is
}

// of takes an error of the form "what failed: where: why; what to do" apart.
func of(err error) failure {
	text := err.Error()
	if i := advice(text); i > 0 {
		return failure{Message: text[:i], Hint: text[i+len(separator):]}
	}
	return failure{Message: text}
}

const separator = "; "

// advice is where the separator stands that no quotes enclose, -1 where none does.
func advice(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], separator):
			return i
		}
	}
	return -1
}
