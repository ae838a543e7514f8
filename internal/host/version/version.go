// Package version says which version of whyhot this program is.
//
// It owns what the Go tool stamped into the binary, and gives one text. It imports
// nothing of this module.
package version

import "runtime/debug"

// String is the version, like "v1.2.0" where the program was built at a tag, else the
// revision of the source, with "+dirty" where that had changes.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	if rev == "" {
		return info.Main.Version
	}
	return rev + dirty
}
