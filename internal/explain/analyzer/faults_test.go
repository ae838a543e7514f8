package analyzer

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

// fakeAnalyser answers every request but those that tell it to misbehave.
const fakeAnalyser = `#!/bin/sh
while IFS= read -r line; do
  case "$line" in
  *crash*) echo 'Assertion "x" failed' >&2; kill -SEGV $$ ;;
  *hang*) exec cat ;;
  *mute*) exec >/dev/null ;;
  *garbage*) echo 'not JSON' ;;
  *newer*) echo '{"version":1,"matches":[{"rule":"vector-bool"},{"rule":"of-tomorrow"}]}' ;;
  *refused*) echo '{"version":1,"errors":["x.cpp:1:1: unknown type name"]}' ;;
  *) echo '{"version":1,"loops":7}' ;;
  esac
done
`

func TestOneUnitCostsOnlyItself(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "analyser")
	if err := os.WriteFile(binary, []byte(fakeAnalyser), 0o700); err != nil {
		t.Fatal(err)
	}
	var units []compdb.Unit
	for _, name := range []string{"a", "crash", "b", "hang", "c", "mute", "garbage", "newer", "d", "refused", "e"} {
		units = append(units, compdb.Unit{Directory: "/", File: name, Arguments: []string{"c++", name}})
	}
	got := map[string]Outcome{}
	// Long enough for a process to start on a busy machine.
	opts := Options{Binary: binary, Workers: 1, Timeout: 5 * time.Second}
	if err := Run(context.Background(), units, opts, func(o Outcome) { got[o.Unit.File] = o }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if o := got[name]; o.Err != nil || o.Reply.Loops != 7 {
			t.Errorf("%s: %v, %d loops; it did nothing wrong", name, o.Err, o.Reply.Loops)
		}
	}
	for name, text := range map[string]string{"crash": "Assertion", "hang": "no answer after", "mute": "died", "garbage": "not understood", "newer": `a rule "of-tomorrow" that this whyhot does not know`} {
		if err := got[name].Err; err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one with %q", name, err, text)
		}
	}
	if o := got["refused"]; o.Err != nil || len(o.Reply.Errors) != 1 {
		t.Errorf("refused: %v, %v", o.Err, o.Reply.Errors)
	}
}

// Whatever a line holds, the analyser answers it with one line and lives on.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	bad := []string{
		`x`, `{`, `[]`, `null`, `"a"`, `{}`, "\xff\xfe", `{"version":1}`, `{"version":"1","arguments":["c++"]}`,
		`{"version":99,"arguments":["c++","x.cpp"]}`, `{"version":1,"arguments":"c++"}`, `{"version":1,"arguments":[1]}`,
		`{"version":1,"arguments":[]}`, `{"version":1,"arguments":["c++"],"predicates":["nonsense"]}`,
		`{"version":1,"arguments":["c++","-c","/nonexistent/x.cpp"]}`, `{"version":1,"arguments":["c++"],"directory":"/nonexistent"}`,
		`{"version":1,"arguments":["c++","x.cpp"],"at":7}`, `{"version":1,"arguments":["c++","x.cpp"],"at":{"file":"x"}}`,
		strings.Repeat(`[`, 100000), `{"version":1,"arguments":["c++","` + strings.Repeat("a", 1<<16) + `"]}`,
	}
	cmd := exec.CommandContext(t.Context(), analyzertest.Path(t))
	cmd.Stdin = strings.NewReader(strings.Join(bad, "\n") + "\n")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	for _, request := range bad {
		line, err := readLine(out)
		if err != nil {
			t.Fatalf("no answer to %.60q: %v", request, err)
		}
		var r Reply
		if err := json.Unmarshal(line, &r); err != nil || len(r.Errors) == 0 || r.Errors[0] == "" {
			t.Errorf("%.60q is answered with %.200q (%v), want an error", request, line, err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the analyser ends with %v", err)
	}
}
