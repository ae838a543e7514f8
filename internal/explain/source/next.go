package source

import (
	"whyhot/internal/explain/fix"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
)

// NameCommands says of findings in the source of a build how to see more of them, which
// patch there may be, and how to prove them; profile is how the user calls the profile,
// "" for none. Without a build directory the commands would not find the unit.
func NameCommands(fs []finding.Finding, build, profile string) {
	if build == "" {
		return
	}
	in := " -p " + shellwords.Quote(build)
	for i := range fs {
		f := &fs[i]
		if len(f.Sites) > 0 && len(fix.KindsFor(f.Rule)) > 0 {
			nameFix(f, in, profile)
			continue
		}
		if len(f.Worlds) == 0 || f.Place.File == "" {
			continue
		}
		f.See = append(f.See, "whyhot explain-loop "+shellwords.Quote(finding.Line{File: f.Place.File, Line: f.Place.Line}.String())+in)
		if len(fix.KindsFor(f.Rule)) > 0 {
			f.See = append(f.See, "whyhot fix "+f.ID+in)
		}
		if f.Certainty == finding.Suspected || StoreOf(f.ID) == "" {
			continue
		}
		if profile != "" {
			f.Next = "whyhot try build --profile " + shellwords.Quote(profile) + in + " --what-if " + f.ID + " --build '<your build command>'"
		} else {
			f.Next = "whyhot try build" + in + " --what-if " + f.ID + " --build '<your build command>' --run '<your command>'"
		}
	}
}

// nameFix says of a finding that is one for the whole program which patch there
// may be, and how to prove it. With the profile the patch is of what is hot.
func nameFix(f *finding.Finding, in, profile string) {
	if profile != "" {
		in = " --profile " + shellwords.Quote(profile) + in
	}
	f.See = append(f.See, "whyhot fix "+f.ID+in)
	f.Next = "whyhot try build" + in + " --fix " + f.ID + " --build '<your build command>'"
	if profile == "" {
		f.Next += " --run '<your command>'"
	}
}
