package main

import (
	"github.com/spf13/cobra"

	"whyhot/internal/profile"
	"whyhot/internal/report/foldedtext"
)

func newFoldCmd() *cobra.Command {
	var (
		load   loadFlags
		filter filterFlags
		plain  bool
	)
	cmd := &cobra.Command{
		Use:   "fold FILE",
		Short: "Write folded stacks for FlameGraph, speedscope and others",
		Long: `Writes one line for each distinct stack to standard output, the process
first, then the outermost function, frames separated by semicolons, the number
of samples last (or the value, where samples weigh differently). Each frame is
marked with its binary, "name_[libc.so.6]"; --plain omits processes and marks.
Inlined calls are frames of their own; --no-inline omits them, like perf's option
of that name, and then no debug information is read.`,
		Example: `  whyhot fold perf.data > stacks.folded
  whyhot fold cpu.pb.gz --plain --process nginx | flamegraph.pl > nginx.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, err := loadSamples(cmd, args[0], load, filter)
			if err != nil {
				return err
			}
			opt := foldedtext.Options{Binaries: true, RootLabel: profile.LabelProcess}
			if plain {
				opt = foldedtext.Options{}
			}
			return foldedtext.Write(cmd.OutOrStdout(), p, opt)
		},
	}
	cmd.Flags().BoolVar(&load.namesOnly, "no-inline", false, "omit inlined calls: names come from symbol tables alone, which is faster")
	cmd.Flags().BoolVar(&plain, "plain", false, "functions only: no process, no binaries")
	load.add(cmd)
	filter.add(cmd)
	filter.addOwn(cmd)
	return cmd
}
