package explain

import (
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
)

// nameCommands says of findings in source how to see more of them, which patch
// there may be, and how to prove them. Without a build directory the commands
// would not find the unit.
func nameCommands(fs []finding.Finding, build, profile string) {
	if build == "" {
		return
	}
	in := " -p " + shellwords.Quote(build)
	for i := range fs {
		f := &fs[i]
		if len(f.Worlds) == 0 || f.Place.File == "" {
			continue
		}
		f.See = append(f.See, "whyhot explain-loop "+shellwords.Quote(finding.Line{File: f.Place.File, Line: f.Place.Line}.String())+in)
		if len(fix.KindsFor(f.Rule)) > 0 {
			f.See = append(f.See, "whyhot fix "+f.ID+in)
		}
		if f.Certainty == finding.Suspected || source.StoreOf(f.ID) == "" {
			continue
		}
		if profile != "" {
			f.Next = "whyhot try --profile " + shellwords.Quote(profile) + in + " --what-if " + f.ID + " --build '<your build command>'"
		} else {
			f.Next = "whyhot try" + in + " --what-if " + f.ID + " --build '<your build command>' --run '<your command>'"
		}
	}
}
