package source

import (
	"whyhot/internal/explain/fix"
	"whyhot/internal/finding"
)

// NameCommands says of findings in the source of a build how to see more of them, which
// patch there may be, and how to prove them; profile is how the user calls the profile,
// "" for none. Without a build directory the commands would not find the unit.
func NameCommands(fs []finding.Finding, build, profile string) {
	if build == "" {
		return
	}
	in := []string{"-p", build}
	for i := range fs {
		f := &fs[i]
		if len(f.Sites) > 0 && len(fix.KindsFor(f.Rule)) > 0 {
			nameFix(f, in, profile)
			continue
		}
		if len(f.Worlds) == 0 || f.Place.File == "" {
			continue
		}
		loop := finding.Line{File: f.Place.File, Line: f.Place.Line}.String()
		f.See = append(f.See, finding.Command{Verb: "explain-loop", Args: []string{loop}}.With(in...))
		if len(fix.KindsFor(f.Rule)) > 0 {
			f.See = append(f.See, finding.Command{Verb: "fix", Args: []string{f.ID}}.With(in...))
		}
		if f.Certainty == finding.Suspected || StoreOf(f.ID) == "" {
			continue
		}
		f.Next = tryBuild(profile, in, "--what-if", f.ID)
	}
}

// nameFix says of a finding that is one for the whole program which patch there
// may be, and how to prove it. With the profile the patch is of what is hot.
func nameFix(f *finding.Finding, in []string, profile string) {
	patch := finding.Command{Verb: "fix", Args: []string{f.ID}}
	if profile != "" {
		patch = patch.With("--profile", profile)
	}
	f.See = append(f.See, patch.With(in...))
	f.Next = tryBuild(profile, in, "--fix", f.ID)
}

// tryBuild is the trial of another build. What runs is the command of the profile, where
// there is one.
func tryBuild(profile string, in []string, change ...string) finding.Command {
	c := finding.Command{Verb: "try build"}
	if profile != "" {
		c = c.With("--profile", profile)
	}
	c = c.With(in...).With(change...).With("--build", finding.YourBuild)
	if profile == "" {
		c = c.With("--run", finding.YourCommand)
	}
	return c
}
