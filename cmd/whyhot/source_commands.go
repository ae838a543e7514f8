package main

import (
	"fmt"

	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/finding"
	"whyhot/internal/report/term"
)

// nameCommands says of findings in source how to see more of them, which patch
// there may be, and how to prove them. Without a build directory the commands
// would not find the unit.
func nameCommands(fs []finding.Finding, build, profile string) {
	if build == "" {
		return
	}
	build = " -p " + term.Quote(build)
	for i := range fs {
		f := &fs[i]
		if len(f.Worlds) == 0 || f.Place.File == "" {
			continue
		}
		f.See = append(f.See, "whyhot explain-loop "+term.Quote(fmt.Sprintf("%s:%d", f.Place.File, f.Place.Line))+build)
		if len(fix.KindsFor(f.Rule)) > 0 {
			f.See = append(f.See, "whyhot fix "+f.ID+build)
		}
		if f.Certainty == finding.Suspected || loopfinding.PredicateOf(f.ID) == "" {
			continue
		}
		if profile != "" {
			f.Next = "whyhot try --profile " + term.Quote(profile) + build + " --what-if " + f.ID + " --build '<your build command>'"
		} else {
			f.Next = "whyhot try" + build + " --what-if " + f.ID + " --build '<your build command>' --run '<your command>'"
		}
	}
}
