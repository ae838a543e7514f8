// Package version says which version of whyhot this program is.
//
// It owns what a release and the Go tool stamped into the binary, and gives it as one
// text or in parts. It imports nothing of this module.
package version

import (
	"runtime"
	"runtime/debug"
	"time"
)

// What `make release` stamps in, by -ldflags=-X. Elsewhere the Go tool tells.
var (
	stamped       string // "v1.2.0", or a pseudo-version between tags
	stampedCommit string
	stampedTime   string // of the commit, RFC 3339
)

// Build is what a program says of its own build.
type Build struct {
	Version  string    `json:"version"`
	Commit   string    `json:"commit,omitempty"`
	Time     time.Time `json:"time,omitzero"`      // of the commit
	Modified bool      `json:"modified,omitempty"` // the source had changes that are not committed
	Go       string    `json:"go"`
	Platform string    `json:"platform"`
}

// String is the version: "v1.2.0" for a release or where `go install` fetched one, else
// the revision of the source, with "+dirty" where that had changes.
func String() string { return Read().Version }

// Agent names a program with its version, as HTTP's User-Agent and Server do.
func Agent(program string) string { return program + "/" + String() }

// Read says how this program was built.
func Read() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return of(info, stamped, stampedCommit, stampedTime)
}

func of(info *debug.BuildInfo, version, commit, committed string) Build {
	b := Build{Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && b.Commit == "":
			b.Commit = s.Value
		case s.Key == "vcs.time" && committed == "":
			committed = s.Value
		case s.Key == "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	b.Time, _ = time.Parse(time.RFC3339, committed) // the zero time says that it is not known
	if b.Version != "" {
		return b
	}
	if b.Commit == "" {
		if b.Version = info.Main.Version; b.Version == "" {
			b.Version = "unknown"
		}
		return b
	}
	b.Version = b.Commit[:min(12, len(b.Commit))]
	if b.Modified {
		b.Version += "+dirty"
	}
	return b
}
