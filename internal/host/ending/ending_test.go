package ending

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestOfAProcess(t *testing.T) {
	for script, want := range map[string]struct {
		end    Ending
		status int
		text   string
	}{
		"exit 0":                          {Ending{}, 0, "exit status 0"},
		"exit 3":                          {Ending{Code: 3}, 3, "exit status 3"},
		"kill -TERM $$":                   {Ending{Signal: syscall.SIGTERM}, 143, "killed by SIGTERM (terminated)"},
		"ulimit -c 0; kill -SEGV $$":      {Ending{Signal: syscall.SIGSEGV}, 139, "killed by SIGSEGV (segmentation fault)"},
		"sh -c 'kill -TERM $$'; exit 143": {Ending{Code: 143}, 143, "exit status 143"},
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		_ = cmd.Run() // the state says more
		got := Of(cmd.ProcessState)
		if got != want.end || got.Status() != want.status || got.String() != want.text || got.Failed() != (want.status != 0) {
			t.Errorf("%s: %+v, %d, %q; want %+v, %d, %q", script, got, got.Status(), got, want.end, want.status, want.text)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, e := range map[string]Ending{
		"timed out after 1m30s":                 {Signal: syscall.SIGKILL, Limit: 90 * time.Second},
		"killed by signal 50":                   {Signal: 50},
		"killed by SIGQUIT (quit), core dumped": {Signal: syscall.SIGQUIT, Core: true},
	} {
		if e.String() != text || !e.Failed() {
			t.Errorf("%+v: %q, failed %v; want %q", e, e, e.Failed(), text)
		}
	}
	// What obeys the request to end may well say that all is fine.
	if !(Ending{Limit: time.Second}).Failed() {
		t.Error("a process that took too long did not fail")
	}
}
