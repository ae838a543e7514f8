// Package scripts holds no code: its tests run what the scripts have in common. It imports
// nothing of ours.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bash runs a script in this directory, with programs of its own before those of PATH.
func bash(t *testing.T, script string, programs map[string]string) (said string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "DIR="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A step of the demo that fails ends it, and says which; parts count on.
func TestTheDemoEndsWhereAStepFails(t *testing.T) {
	for what, c := range map[string]struct{ script, says string }{
		"shown":           {"part one; show true; part two; show false; echo unreached", "2. two\n\n$ false\n\nbash: this failed with status 1, and the demo ends: false\n"},
		"not shown":       {"part one; cp /no/such/file /tmp; echo unreached", "the demo ends: cp /no/such/file /tmp\n"},
		"with a log":      {"logged $DIR/log sh -c 'echo why; exit 3'; echo unreached", "why\n\nbash: this failed with status 1, and the demo ends: sh -c echo why; exit 3 (its last lines stand above"},
		"in what is said": {"id=$(echo partly; exit 4); echo unreached", "bash: this failed with status 4"},
	} {
		said, err := bash(t, ". ./demo-steps; "+c.script, nil)
		if err == nil || !strings.Contains(said, c.says) || strings.Contains(said, "unreached\n") || strings.Count(said, "the demo ends") != 1 {
			t.Errorf("%s: %v\n%s", what, err, said)
		}
	}
	if said, err := bash(t, ". ./demo-steps; part one; if false; then :; fi; show true; part two", nil); err != nil || !strings.Contains(said, "\n2. two\n") {
		t.Errorf("%v\n%s", err, said)
	}
}

// Steps behind a test that failed are run, and the failure stays one; what runs beside the
// steps is joined with its status.
func TestSteps(t *testing.T) {
	said, err := bash(t, `. ./steps $DIR/report
step good; beside well echo done; beside ill sh -c 'echo no network; exit 3'
step bad; later false
step behind; joined well
step left; joined ill || leave_out "status $?"
finish() { record ok; cat $DIR/report/steps.tsv; }`, nil)
	if err != nil || !strings.Contains(said, "done\n") || !strings.Contains(said, "no network\n") {
		t.Errorf("%v\n%s", err, said)
	}
	for _, want := range []string{"good\tok", "bad\tfailed", "behind\tok", "left\tleft out: status 3"} {
		name, state, _ := strings.Cut(want, "\t")
		found := false
		for line := range strings.Lines(said) {
			found = found || strings.HasPrefix(line, name+"\t") && strings.HasSuffix(line, "\t"+state+"\n")
		}
		if !found {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// What apt and dpkg say is shown where they fail; a package is asked for once; a command
// that does not start is missing; another apt is waited for.
func TestDeps(t *testing.T) {
	lists := t.TempDir()
	for _, dir := range []string{"packages", "../build"} {
		if err := os.MkdirAll(filepath.Join(lists, "scripts", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("deps")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"deps": string(script), "packages/a.txt": "tool-stub?stub\ntool-there?there\none\n", "packages/b.txt": "one\none?absent-command\ntwo\n",
	} {
		if err := os.WriteFile(filepath.Join(lists, "scripts", name), []byte(text), 0o700); err != nil { //nolint:gosec // it is a script
			t.Fatal(err)
		}
	}
	programs := map[string]string{
		"dpkg-query": "exit 1\n", "id": "echo 0\n", "stub": "echo no toolchain >&2; exit 1\n", "there": "exit 0\n",
		"apt-get": "echo \"$@\" >> \"$DIR/calls\"; echo dpkg: a reason; ! grep -q install \"$DIR/calls\"\n",
	}
	said, err := bash(t, lists+"/scripts/deps a b || { cat $DIR/calls; exit 1; }", programs)
	if err == nil || !strings.Contains(said, "dpkg: a reason\n") || !strings.Contains(said, "deps: apt-get install failed") {
		t.Errorf("%v\n%s", err, said)
	}
	if want := "-q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends tool-stub one two\n"; !strings.Contains(said, want) {
		t.Errorf("no %q in\n%s", want, said)
	}
}
