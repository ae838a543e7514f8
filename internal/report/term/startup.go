package term

import (
	"strings"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/startup"
)

// WithoutStartup is the flag that leaves start-up out.
const WithoutStartup = "without-startup"

const (
	// muchStartup is the share of start-up from which a reader is told.
	muchStartup = 0.1
	// startupPart is the share of a part from which it is named.
	startupPart = 0.02
)

// StartupText says how much of a profile is the start of its runtimes, "" where it is
// little.
func StartupText(p *profile.Profile) string {
	whole := WholeOf(p)
	var all int64
	var named []string
	for _, part := range startup.Of(p) {
		all += part.Value
		if share := whole.Share(part.Value); share >= startupPart {
			named = append(named, part.Runtime+": "+part.What+" "+percent.Column(share))
		}
	}
	if whole.Share(all) < muchStartup {
		return ""
	}
	return percent.Column(whole.Share(all)) + " of the CPU is start-up (" + strings.Join(named, ", ") + "); --" + WithoutStartup + " leaves it out"
}
