// Package helptext lays out what a program's commands say of themselves: their help, and
// what is missing where one is called with too few arguments.
//
// It owns the width of help texts and the words of these errors. It takes a tree of cobra
// commands. Of ours it imports the printer, which knows the width of a terminal.
package helptext

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/report/term"
)

// Help is wrapped at the terminal's width, between these: longer lines are hard to read, and
// in shorter ones the texts of flags have no room.
const (
	most  = 100
	least = 40
)

// Set has all commands below root explain themselves in this package's way. It is called
// when root has its commands.
func Set(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		out := c.OutOrStdout()
		text := c.Long
		if text == "" {
			text = c.Short
		}
		if text = strings.TrimSpace(text); text != "" {
			_, _ = fmt.Fprint(out, Reflow(text, Width(out)), "\n\n")
		}
		if c.Runnable() || c.HasSubCommands() {
			_, _ = fmt.Fprint(out, c.UsageString())
		}
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usage(c, Width(c.OutOrStdout())))
		return err
	})
	nameArguments(root)
}

// Width is that of help that goes to w.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		f = os.Stdout // usage is put together in a buffer first
	}
	return max(least, min(term.New(f, os.Environ()).Width, most))
}

func usage(c *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n" + hang("  ", "      ", c.UseLine(), width))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nAvailable Commands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				first := fmt.Sprintf("  %-*s ", sub.NamePadding(), sub.Name())
				b.WriteString("\n" + hang(first, strings.Repeat(" ", len(first)), sub.Short, width))
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + Flags(c.LocalFlags(), width))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal Flags:\n" + Flags(c.InheritedFlags(), width))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\n" + hang("", "", `Use "`+c.CommandPath()+` [command] --help" for more information about a command.`, width))
	}
	return b.String() + "\n"
}

// Flags lists flags with what they do.
func Flags(set *pflag.FlagSet, width int) string {
	lines := strings.Split(strings.TrimRight(set.FlagUsagesWrapped(width), " \n"), "\n")
	for i, line := range lines { // pflag leaves what follows a long word as it is
		if text := strings.TrimLeft(line, " "); len(line)-len(text) >= least/4 && ansi.StringWidth(line) > width {
			indent := line[:len(line)-len(text)]
			lines[i] = hang(indent, indent, text, width)
		}
	}
	return strings.Join(lines, "\n")
}

// Reflow wraps paragraphs anew. Lines that are indented stand for themselves, as those of
// lists do.
func Reflow(text string, width int) string {
	var out []string
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out, paragraph = append(out, hang("", "", strings.Join(paragraph, " "), width)), nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		switch {
		case strings.TrimSpace(line) == "":
			end()
			out = append(out, "")
		case indent != "":
			end()
			row := strings.TrimLeft(line, " \t")
			first := indent + column(row)
			out = append(out, hang(first, strings.Repeat(" ", max(len(indent)+2, ansi.StringWidth(first))), strings.TrimPrefix(row, column(row)), width))
		default:
			if strings.HasPrefix(line, "- ") {
				end()
			}
			paragraph = append(paragraph, strings.TrimRight(line, " "))
		}
	}
	end()
	return strings.Join(out, "\n")
}

// column is the first column of a row of a list, with the spaces that end it; "" for a row
// without columns.
func column(row string) string {
	at := strings.Index(row, "  ")
	if at < 0 || at > least/2 {
		return ""
	}
	return row[:len(row)-len(strings.TrimLeft(row[at:], " "))]
}

// hang wraps a text at its spaces: a flag or a command that is broken at a hyphen cannot be
// copied. Runs of spaces stay, which columns have.
func hang(first, further, text string, width int) string {
	const hyphen, stands = "-", "\ue000" // of the private use area: no text has it
	room := max(least/2, width-max(ansi.StringWidth(first), ansi.StringWidth(further)))
	wrapped := strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(text, hyphen, stands), room, ""), stands, hyphen)
	return first + strings.ReplaceAll(wrapped, "\n", "\n"+further)
}
