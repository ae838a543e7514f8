package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

// profileFile writes a profile of one function of a library that is not there.
func profileFile(t *testing.T, meta profile.Meta) string {
	t.Helper()
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/nowhere/libgone.so", Limit: 0x1000})
	nameless := b.Location(m, 0x10, profile.KindNative, profile.Line{})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{nameless}), Count: 300, Value: 300})
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.Write(f, b.Build(meta)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func output(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("whyhot %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), errs.String()
}

func TestWhatRecordHasToldIsNotToldAgain(t *testing.T) {
	meta := profile.Meta{Source: "perf.data", ValueType: profile.ValueType{Type: "samples", Unit: "count"}, Warnings: []string{"5 stacks are cut"}}
	ours := profileFile(t, meta)
	meta.Source = "pprof"
	foreign := profileFile(t, meta)

	if _, stderr := output(t, "top", ours); stderr != "" {
		t.Errorf("top repeats %q", stderr)
	}
	if _, stderr := output(t, "top", foreign); strings.Count(stderr, "5 stacks are cut") != 1 || strings.Count(stderr, "note: libgone.so:") != 1 {
		t.Errorf("top of a file of others says %q", stderr)
	}
	stdout, stderr := output(t, "explain", ours)
	if strings.Count(stdout, "note  libgone.so:") != 1 || strings.Contains(stderr, "libgone.so") {
		t.Errorf("explain says once, in the answer, what lacks names:\n%s\n%s", stdout, stderr)
	}
}

func TestExplainOfWhatNoRuleJudges(t *testing.T) {
	heap := profileFile(t, profile.Meta{ValueType: profile.ValueType{Type: "inuse_space", Unit: "bytes"}})
	stdout, _ := output(t, "explain", heap)
	if strings.Contains(stdout, "compared with") || strings.Contains(stdout, "No finding") || !strings.Contains(stdout, "Not judged") {
		t.Errorf("explain of a heap profile:\n%s", stdout)
	}
	if stdout, _ = output(t, "explain", "--json", heap); !strings.Contains(stdout, `"findings": []`) {
		t.Errorf("not the published schema:\n%s", stdout)
	}
	page := filepath.Join(t.TempDir(), "r.html")
	output(t, "explain", heap, "--html", page)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("No known reason")) || bytes.Contains(text, []byte("compared with")) {
		t.Error("the page says that rules were applied")
	}
}
