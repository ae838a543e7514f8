package syscalls

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// many makes a profile of processes, each with samples of 2 ms: some in the kernel, then some in
// its program.
type many struct {
	name             string
	number           int
	inKernel, beside int64
}

func foundOf(t *testing.T, unit string, all ...many) []finding.Finding {
	t.Helper()
	b := profile.NewBuilder()
	at := func(name string, kind profile.Kind) profile.StackID {
		id := b.Function(profile.Function{Name: name, Kind: kind})
		return b.Stack([]profile.LocationID{b.Location(0, 0, kind, profile.Line{Function: id})})
	}
	kernelStack, programStack := at("copy_page_range", profile.KindKernel), at("main", profile.KindNative)
	pid := int64(100)
	for _, m := range all {
		for range m.number {
			pid++
			// Until it executes the program, the process is a copy of the shell.
			shell := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: "bash"}, {Key: profile.LabelPID, Num: pid}})
			own := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: m.name}, {Key: profile.LabelPID, Num: pid}})
			b.Sample(profile.Sample{Stack: kernelStack, Labels: shell, Time: pid * 1000, Count: m.inKernel, Value: m.inKernel * 2_000_000})
			b.Sample(profile.Sample{Stack: programStack, Labels: own, Time: pid*1000 + 1, Count: m.beside, Value: m.beside * 2_000_000})
		}
	}
	a, err := Judge(t.Context(), judge.Subject{Profile: b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: unit}})})
	if err != nil {
		t.Fatal(err)
	}
	var out []finding.Finding
	for _, f := range a.Found {
		out = append(out, f.Finding)
	}
	return out
}

func TestShortProcesses(t *testing.T) {
	server := many{"server", 1, 10, 600}
	for name, x := range map[string]struct {
		unit  string
		all   []many
		title string // "" for none
		step  string
	}{
		"a shell that cuts lines": {"nanoseconds", []many{{"cut", 150, 2, 1}, {"awk", 120, 2, 2}, {"bash", 100, 2, 0}, server}, "(awk, cut, bash)", "Shell: let read"},
		"an interpreter for each": {"nanoseconds", []many{{"python3", 150, 3, 2}, server}, "(python3)", "interpreter takes longer"},
		"variables of a makefile": {"nanoseconds", []many{{"find", 150, 3, 1}, {"sed", 50, 2, 1}, {"make", 1, 5, 40}}, "(find, sed)", "NAME := $(shell"},
		"git":                     {"nanoseconds", []many{{"git", 150, 2, 1}}, "(git)", "git cat-file --batch"},
		"few of them":             {"nanoseconds", []many{{"cut", 90, 3, 1}}, "", ""},
		"little of the CPU":       {"nanoseconds", []many{{"cut", 110, 1, 1}, {"server", 1, 10, 2000}}, "", ""},
		"compilers that work":     {"nanoseconds", []many{{"cc1", 150, 1, 4}}, "", ""},
		"longer ones":             {"nanoseconds", []many{{"cc1", 150, 11, 4}}, "", ""},
		"how long is not known":   {"count", []many{{"cut", 150, 2, 1}}, "", ""},
	} {
		found := foundOf(t, x.unit, x.all...)
		if x.title == "" {
			if len(found) > 0 {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Rule != RuleProcesses || !strings.Contains(found[0].Title, x.title) || !strings.Contains(strings.Join(found[0].Fix.Steps, "\n"), x.step) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestWhatShortProcessesTake(t *testing.T) {
	f := foundOf(t, "nanoseconds", many{"cut", 200, 2, 1}, many{"server", 1, 0, 600})[0]
	if share := *f.Share.Inclusive; share != 0.5 {
		t.Errorf("share %v", share)
	}
	if g := f.Gain; g.Low < 0.09 || g.Low > 0.11 || g.High != 0.5 {
		t.Errorf("gain %+v", g)
	}
	if text := f.Evidence[0].Text; text != "at least 200 processes, 6ms of CPU each" {
		t.Errorf("%q", text)
	}
	if text := f.Evidence[1].Text; !strings.HasPrefix(text, "67% of that") {
		t.Errorf("%q", text)
	}
}
