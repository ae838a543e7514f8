package main

import (
	"github.com/spf13/cobra"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/term"
)

// ownName is the flag that leaves the program's own functions alone.
const ownName = "own"

// ownText says what the flag does, above what it has chosen.
const ownText = "--" + ownName + ": what the program's own functions call (libraries, runtime, kernel) counts for them"

// muchBelowOwn is the share of what the program's own code calls from which a reader is told
// of the flag: a list of functions is then mostly one of an interpreter or of libraries.
const muchBelowOwn = 0.5

// addOwn adds the flag of commands that show functions rather than judge them.
func (f *filterFlags) addOwn(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.own, ownName, false, "only the program's own functions: what libraries, interpreters and the kernel do counts for the function that calls them")
}

// belowOwnText says how much of a profile is below the program's own functions and in none of
// them, "" where it is little.
func belowOwnText(p *profile.Profile) string {
	share := term.WholeOf(p).Share(ownline.Of(p).Below())
	if share < muchBelowOwn {
		return ""
	}
	return percent.Column(share) + " of the CPU is in what the program's own functions call (libraries, runtime, kernel); --" + ownName + " counts it for them"
}

// isAllOutside says whether nothing in a table of functions is the program's own.
func isAllOutside(p *profile.Profile, table *view.TopTable) bool {
	return len(table.Rows) == 1 && p.Function(table.Rows[0].Function).Name == ownline.Outside
}
