package gate

import (
	"encoding/json"
	"io"

	"whyhot/internal/check"
)

// issue is one entry of GitLab's code quality report.
type issue struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"` // info, minor, major, critical or blocker
	Location    place  `json:"location"`
}

type place struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
}

// GitLab writes a code quality report of at most so many issues, 0 for all.
func GitLab(w io.Writer, r *check.Result, most int) error {
	out := []issue{} // an empty list says that nothing is wrong
	for _, it := range items(r, most) {
		severity := "minor"
		if it.severe {
			severity = "major"
		}
		out = append(out, issue{
			Description: it.message, Check: it.rule, Fingerprint: it.id, Severity: severity,
			Location: place{Path: it.file, Lines: lines{max(1, it.line)}},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
