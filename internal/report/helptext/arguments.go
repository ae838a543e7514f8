package helptext

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// nameArguments has commands say which argument is missing rather than how many there are.
func nameArguments(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			return named(cmd, args, check(cmd, args))
		}
	}
	for _, sub := range c.Commands() {
		nameArguments(sub)
	}
}

// named puts an error of cobra's about the number of arguments in words of the command. All
// others stay.
func named(c *cobra.Command, args []string, err error) error {
	if err == nil {
		return nil
	}
	var low, high int
	text := err.Error()
	if n, _ := fmt.Sscanf(text, "accepts between %d and %d arg(s)", &low, &high); n == 2 { //nolint:mnd // both
		return counted(c, args, low, err)
	}
	for _, format := range []string{"accepts %d arg(s)", "requires at least %d arg(s)", "accepts at most %d arg(s)"} {
		if n, _ := fmt.Sscanf(text, format, &low); n == 1 {
			return counted(c, args, low, err)
		}
	}
	return err
}

func counted(c *cobra.Command, args []string, low int, err error) error {
	names := arguments(c)
	switch {
	case len(args) < low && len(args) < len(names):
		text := "missing " + names[len(args)] + ": " + c.CommandPath() + strings.TrimPrefix(c.Use, c.Name())
		if e := example(c); e != "" {
			text += "; for example: " + e
		}
		return fmt.Errorf("%s", text) //nolint:err113 // a message, and nobody tells it from others
	case len(args) > low && len(args) > len(names):
		return fmt.Errorf("unexpected argument %q: %s", args[len(names)], c.CommandPath()+strings.TrimPrefix(c.Use, c.Name()))
	}
	return err
}

// arguments are the names of a command's arguments, by its usage line: what is in brackets
// and what belongs to a flag left out, and with --from, the file that a server stands for.
//
// Example. "lines FILE|--from URL FUNCTION" has FILE and FUNCTION.
func arguments(c *cobra.Command) []string {
	var out []string
	words := strings.Fields(c.Use)
	depth := 0
	for i := 1; i < len(words); i++ {
		w := words[i]
		opens, closes := strings.Count(w, "["), strings.Count(w, "]")
		inside := depth > 0 || opens > 0
		depth += opens - closes
		switch {
		case inside, w == "--":
		case w == "|":
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				return out // another way to call it
			}
			if from := c.Flags().Lookup("from"); from != nil && from.Changed && len(out) > 0 {
				out = out[:len(out)-1]
			}
		case strings.HasPrefix(w, "-"):
			i++ // its value
		case strings.Contains(w, "|--"):
			i++
			if from := c.Flags().Lookup("from"); from == nil || !from.Changed {
				out = append(out, w[:strings.Index(w, "|--")])
			}
		default:
			out = append(out, w)
		}
	}
	return out
}

// example is the first of a command's examples, without what explains it.
func example(c *cobra.Command) string {
	for line := range strings.SplitSeq(c.Example, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		if strings.HasPrefix(line, c.Root().Name()+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
