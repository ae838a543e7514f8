package blocks

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
)

// Every command of README and guides that is not listed with a reason is run, and ends
// as the page says.
func TestCommandsOfTheGuides(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	r := readRules(t)
	var all [][]command
	skipped := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(top, page))
		if err != nil {
			t.Fatal(err)
		}
		commands, err := commandsOf(page, string(text))
		if err != nil {
			t.Error(err)
		}
		var kept []command
		for _, c := range commands {
			if r.skips(c) {
				skipped++
				continue
			}
			kept = append(kept, c)
		}
		if len(kept) > 0 {
			all = append(all, kept)
		}
	}
	if skipped != r.Skipped {
		t.Errorf("%d commands are skipped, blocks.yaml says %d: it may only be lowered", skipped, r.Skipped)
	}
	s := newSandbox(t)
	for _, commands := range all {
		t.Run(commands[0].page, func(t *testing.T) {
			s.restore(t)
			for _, c := range commands {
				s.run(t, r.typed(c, s.values), c, r)
			}
		})
	}
	if t.Failed() || flag.Lookup("test.run").Value.String() != "" {
		return // a part of the pages needs a part of the rules
	}
	for _, rule := range r.unused() {
		t.Errorf("blocks.yaml has a rule that nothing needs: %s", rule)
	}
}

func (s *sandbox) run(t *testing.T, text string, c command, r *rules) {
	t.Helper()
	cmd := s.shell(t.Context(), s.dir, text)
	// A group of its own: what is interrupted is all that it started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := &output{}
	if u := r.until(text); u != nil {
		out.until = regexp.MustCompile(u.Says)
		out.said = func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	status := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if want := r.status(text); status != want {
		t.Errorf("%s:%d: status %d, want %d\n$ %s\n%s", c.page, c.line, status, want, text, out)
	}
}

// output is what a command prints; said is called once it matches.
type output struct {
	until *regexp.Regexp
	said  func()

	lock sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	n, err := o.text.Write(b)
	if o.until != nil && o.until.Match(o.text.Bytes()) {
		o.until = nil
		o.said()
	}
	return n, err
}

func (o *output) String() string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.String()
}
