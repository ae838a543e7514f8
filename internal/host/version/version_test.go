package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.time", Value: "2026-11-23T10:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	for name, c := range map[string]struct {
		info                    debug.BuildInfo
		version, commit, time   string
		wantVersion, wantCommit string
		wantYear                int
	}{
		"a release":           {debug.BuildInfo{}, "v1.2.0", "abc", "2026-01-02T03:04:05Z", "v1.2.0", "abc", 2026},
		"a release in a tree": {debug.BuildInfo{Settings: vcs}, "v1.2.0", "abc", "2025-01-02T03:04:05Z", "v1.2.0", "abc", 2025},
		"a work tree":         {debug.BuildInfo{Settings: vcs}, "", "", "", "0123456789ab+dirty", "0123456789abcdef0123", 2026},
		"go install":          {debug.BuildInfo{Main: debug.Module{Version: "v0.3.1"}}, "", "", "", "v0.3.1", "", 1},
		"nothing is known":    {debug.BuildInfo{}, "", "", "", "unknown", "", 1},
	} {
		b := of(&c.info, c.version, c.commit, c.time)
		if b.Version != c.wantVersion || b.Commit != c.wantCommit || b.Time.Year() != c.wantYear {
			t.Errorf("%s: %+v", name, b)
		}
	}
}
