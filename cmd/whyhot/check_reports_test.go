package main

import (
	"strings"
	"testing"
)

func TestWithoutReports(t *testing.T) {
	for args, want := range map[string]string{
		"check --base main --json --limit 1% -- ./bench --json":       "check --base main --limit 1% -- ./bench --json",
		"check --markdown a.md --sarif=b.json --base main -- ./bench": "check --base main -- ./bench",
		"check --gitlab g --junit j --known k --accept --base main":   "check --known k --base main",
		"check --base main --markdown":                                "check --base main",
	} {
		if got := strings.Join(withoutReports(strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
}
