package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/report/helptext"
)

// grouped are the flags of a command under headings, as its help shows them.
type grouped struct {
	titles []string
	sets   []*pflag.FlagSet
	subs   []*cobra.Command
}

// add gives a command flags that its help shows under a heading.
func (g *grouped) add(cmd *cobra.Command, title string, register ...func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	for _, r := range register {
		r(set)
	}
	cmd.Flags().AddFlagSet(set)
	g.titles, g.sets = append(g.titles, title), append(g.sets, set)
}

// more gives a command flags that its help does not list.
func (g *grouped) more(cmd *cobra.Command, register ...func(*pflag.FlagSet)) {
	for _, r := range register {
		r(cmd.Flags())
	}
}

// use makes it the command's help, with a remark at its end.
func (g *grouped) use(cmd *cobra.Command, remark string) {
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), g.text(c, remark))
		return err
	})
}

func (g *grouped) text(c *cobra.Command, remark string) string {
	var b strings.Builder
	width := helptext.Width(c.OutOrStdout())
	fmt.Fprintf(&b, "Usage: %s %s\n", c.Parent().CommandPath(), c.Use)
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if len(g.subs) > 0 {
		fmt.Fprintf(&b, "\nOther trials (%s NAME --help):\n", c.CommandPath())
		for _, sub := range g.subs {
			fmt.Fprintf(&b, "  %-7s %s\n", sub.Name(), sub.Short)
		}
	}
	for i, set := range g.sets {
		fmt.Fprintf(&b, "\n%s:\n%s\n", g.titles[i], helptext.Flags(set, width))
	}
	if remark != "" {
		fmt.Fprintf(&b, "\n%s\n", helptext.Reflow(remark, width))
	}
	return b.String()
}
