package command

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		code int
		text string
	}{
		{"no-such-program-anywhere", CodeNotFound, "no \"no-such-program-anywhere\" in PATH"},
		{filepath.Join(dir, "missing"), CodeNotFound, "does not exist"},
		{plain, CodeNotExecutable, "not executable"},
		{dir, CodeNotExecutable, "directory"},
	} {
		_, err := Find(nil, c.name)
		var se *StartError
		if !errors.As(err, &se) || se.Code != c.code || !strings.Contains(se.Error(), c.text) {
			t.Errorf("Find(%q) = %v, want code %d and %q", c.name, err, c.code, c.text)
		}
	}
	if path, err := Find(nil, "sh"); err != nil || !filepath.IsAbs(path) {
		t.Errorf("Find(sh) = %q, %v", path, err)
	}
}

// The command's own PATH decides, also where it is relative.
func TestStartSearchesThePathOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const name = "whyhot-test-program"
	for sub, status := range map[string]string{"a": "3", "b": "4"} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, name), []byte("#!/bin/sh\nexit "+status+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "a")
	for _, c := range []struct {
		env  []string
		want int
	}{{nil, 3}, {[]string{"PATH=" + filepath.Join(dir, "b")}, 4}, {[]string{"PATH=b"}, 4}} {
		for _, hold := range []string{"", t.TempDir()} {
			p, err := Start(Options{Args: []string{name}, Env: c.env, HoldDir: hold})
			if err == nil {
				err = p.Release()
			}
			if err != nil {
				t.Errorf("%v: %v", c.env, err)
				continue
			}
			if e := p.Exit(); e.Code != c.want {
				t.Errorf("%v: %v, want exit status %d", c.env, e, c.want)
			}
		}
	}
}

func TestStartOfWhatIsNoProgram(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk")
	lost := filepath.Join(dir, "lost")
	for path, text := range map[string]string{junk: "\x00\x01\x02 no program", lost: "#!/no/such/interpreter\n"} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, code := range map[string]int{junk: CodeNotExecutable, lost: CodeNotFound} {
		_, err := Start(Options{Args: []string{path}})
		var se *StartError
		if !errors.As(err, &se) || se.Code != code {
			t.Errorf("Start(%s) = %v, want code %d", filepath.Base(path), err, code)
		}
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		script string
		status int
		text   string
	}{
		{"exit 0", 0, "exit status 0"},
		{"exit 3", 3, "exit status 3"},
		{"kill -TERM $$", 143, "killed by SIGTERM"},
	} {
		p, err := Start(Options{Args: []string{"sh", "-c", c.script}})
		if err != nil {
			t.Fatal(err)
		}
		e := p.Exit()
		if e.Status() != c.status || e.Failed() != (c.status != 0) || !strings.HasPrefix(e.String(), c.text) {
			t.Errorf("%s: %v, status %d; want %q, status %d", c.script, e, e.Status(), c.text, c.status)
		}
	}
}

// capture gives a file for a command to write to and a function that reads it.
func capture(t *testing.T) (*os.File, func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, func() string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

func TestHeldCommandStartsAtRelease(t *testing.T) {
	out, text := capture(t)
	in, err := os.CreateTemp(t.TempDir(), "in")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.WriteString("from stdin"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	args := []string{"sh", "-c", `echo "$$ $0 <$1> <$2>"; cat`, "name", "two words", "quote' \"$HOME\"\n*"}
	p, err := Start(Options{Args: args, Streams: Streams{In: in, Out: out}, HoldDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if p.waitFor(0) || text() != "" {
		t.Fatalf("the command ran before it was released: %q", text())
	}
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Failed() {
		t.Fatal(e)
	}
	want := strconv.Itoa(p.PID()) + " name <two words> <quote' \"$HOME\"\n*>\nfrom stdin"
	if got := text(); got != want {
		t.Errorf("the command wrote %q, want %q", got, want)
	}
}

// A command that was held back has no more descriptors than one that was not.
func TestHoldingLeavesNoDescriptors(t *testing.T) {
	list := func(holdDir string) string {
		out, text := capture(t)
		p, err := Start(Options{Args: []string{"ls", "/proc/self/fd"}, Streams: Streams{Out: out}, HoldDir: holdDir})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Release(); err != nil {
			t.Fatal(err)
		}
		if e := p.Exit(); e.Failed() {
			t.Fatal(e)
		}
		return text()
	}
	// A descriptor that holding leaves behind is there each time; one of whoever
	// started this test may come and go.
	var held, plain string
	for range 3 {
		if held, plain = list(t.TempDir()), list(""); held == plain {
			return
		}
	}
	t.Errorf("descriptors %q when held, %q when not", held, plain)
}

func TestStopOfCommandThatIsHeld(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	p, err := Start(Options{Args: []string{"touch", marker}, HoldDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Kill(); e.Signal != syscall.SIGKILL {
		t.Errorf("a held command ended with %v", e)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran although it was never released")
	}
}

func TestStopAsksBeforeItKills(t *testing.T) {
	out, text := capture(t)
	p, err := Start(Options{
		Args:    []string{"sh", "-c", `trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done`},
		Streams: Streams{Out: out},
	})
	if err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return strings.Contains(text(), "ready") })
	if e, asked := p.Stop(0); !asked || e.Code != 7 || !strings.Contains(text(), "asked") {
		t.Errorf("Stop gave %v after %q, want exit status 7 after it was asked", e, text())
	}
}

func TestForward(t *testing.T) {
	out, text := capture(t)
	p, err := Start(Options{
		Args:    []string{"sh", "-c", `trap 'echo usr1' USR1; trap 'echo term; exit 5' TERM; echo ready; while :; do sleep 0.01; done`},
		Streams: Streams{Out: out},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := p.Forward()
	await(t, func() bool { return strings.Contains(text(), "ready") })
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return strings.Contains(text(), "usr1") })
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Code != 5 {
		t.Errorf("after SIGTERM the command gave %v, want exit status 5", e)
	}
	stop()
}

func TestSecondRequestKills(t *testing.T) {
	out, text := capture(t)
	p, err := Start(Options{
		Args:    []string{"sh", "-c", `trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done`},
		Streams: Streams{Out: out},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Forward()()
	await(t, func() bool { return strings.Contains(text(), "ready") })
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return p.waitFor(0) || strings.Contains(text(), "no") })
	}
	if e := p.Exit(); e.Signal != syscall.SIGKILL {
		t.Errorf("after two requests the command gave %v, want SIGKILL", e)
	}
}

// await polls a condition that another process makes true.
func await(t *testing.T, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if reached() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("waited two minutes in vain")
}

// Where this process may trace, it is told when the command is loaded and has run nothing.
func TestACommandCanBeLookedAtBeforeItRuns(t *testing.T) {
	out, text := capture(t)
	p, err := Start(Options{Args: []string{"/bin/echo", "ran"}, Streams: Streams{Out: out}, HoldDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if p.begun() {
		t.Error("the shell that holds it is taken for the command")
	}
	called := false
	err = p.ReleaseWith(func() {
		called = true
		exe, err := os.Readlink("/proc/" + strconv.Itoa(p.PID()) + "/exe")
		if err != nil || filepath.Base(exe) != "echo" && filepath.Base(exe) != "coreutils" && filepath.Base(exe) != "busybox" || text() != "" {
			t.Errorf("it is %s, %v, and has written %q", exe, err, text())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Failed() || text() != "ran\n" {
		t.Errorf("%v, %q", e, text())
	}
	if !called {
		t.Skip("this process may not trace another")
	}
}

// What does not become the command, or is waited for already, is released as ever.
func TestACommandThatDoesNotLoadEnds(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("\x7fELF and no more"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := Start(Options{Args: []string{broken}, HoldDir: t.TempDir(), Streams: devNull(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ReleaseWith(func() { t.Error("it was loaded") }); err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Status() != CodeNotExecutable {
		t.Errorf("%v", e)
	}
	p, err = Start(Options{Args: []string{"true"}, HoldDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	done := p.Done()
	if err := p.ReleaseWith(func() { t.Error("it was stopped while somebody waits for it") }); err != nil {
		t.Fatal(err)
	}
	<-done
	if e := p.Exit(); e.Failed() {
		t.Error(e)
	}
}

// A signal that comes while the command is loaded is the command's.
func TestASignalWhileTheCommandIsLoaded(t *testing.T) {
	p, err := Start(Options{Args: []string{"sleep", "100"}, HoldDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ReleaseWith(func() { _ = p.Signal(syscall.SIGTERM) }); err != nil {
		t.Fatal(err)
	}
	_ = p.Signal(syscall.SIGTERM) // where it may not be traced
	if e := p.Exit(); e.Status() != 128+int(syscall.SIGTERM) {
		t.Error(e)
	}
}

func devNull(t *testing.T) Streams {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return Streams{In: f, Out: f, Err: f}
}
