package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/profile"
)

// machineFlags say which loops of a profile's machine code are wanted.
type machineFlags struct {
	load   loadFlags
	filter filterFlags
	rows   int
	match  string
	json   bool
}

func (f *machineFlags) add(cmd *cobra.Command, rows int, more string) {
	flags := cmd.Flags()
	flags.IntVarP(&f.rows, "number", "n", rows, "loops to show, 0 for all"+more)
	flags.StringVar(&f.match, "match", "", "only functions whose name matches `REGEX`")
	f.load.add(cmd)
	f.filter.add(cmd)
}

// machineCode is a profile with the loops that were found.
type machineCode struct {
	all, part *profile.Profile // part: what the filter lets through
	facts     *binfacts.Facts
	answer    machine.Answer
}

// find looks for the loops of the profile at path; the caller closes the facts.
func (f *machineFlags) find(cmd *cobra.Command, path, doing string, r machine.Request) (out machineCode, err error) {
	if f.rows < 0 {
		return out, fmt.Errorf("-n %d: must not be negative", f.rows)
	}
	only, err := regexp.Compile(f.match)
	if err != nil {
		return out, fmt.Errorf("--match: %w", err)
	}
	if out.all, out.part, err = loadSamples(cmd, path, f.load, f.filter); err != nil {
		return out, err
	}
	out.facts = binfacts.New(f.load.debugDirs...)
	done := showBusy(cmd.ErrOrStderr(), doing)
	r.Profile, r.DebugDirs = out.part, f.load.debugDirs
	r.Only = func(f *profile.Function) bool { return only.MatchString(f.Name) }
	out.answer, err = machine.Find(cmd.Context(), r, out.facts)
	done()
	if err != nil {
		_ = out.facts.Close() // only read from
	}
	return out, err
}
