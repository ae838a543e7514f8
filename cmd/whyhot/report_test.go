package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/report/term"
)

// What a command waits for stands before the findings where it mostly waits, and else after them.
func TestWhereWaitsStand(t *testing.T) {
	share := 0.5
	for mostly, want := range map[bool]string{true: "mostly, fetch, at a time, copied", false: "copied, mostly, fetch, at a time"} {
		r := finding.Report{
			Findings: []finding.Finding{{ID: "x-1", Title: "copied", Certainty: finding.Confirmed, Share: finding.Share{Inclusive: &share}}},
			Waits:    &finding.Waits{Mostly: mostly, Text: "mostly", Lines: []finding.Wait{{Text: "fetch", Advice: "at a time\x1b[2J"}}},
		}
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		if err := new(shownFlags).printReport(cmd, r, func(p *term.Printer, r finding.Report) { p.Brief(r, "") }); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(regexp.MustCompile(`mostly|fetch|at a time|copied`).FindAllString(out.String(), -1), ", ")
		if got != want || strings.Contains(out.String(), "\x1b[2J") {
			t.Errorf("mostly %v: %q in\n%s", mostly, got, out.String())
		}
	}
}
