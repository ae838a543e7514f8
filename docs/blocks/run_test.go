package blocks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/host/tool"
)

// sandbox is what a page's own script says of it, in comments: what the commands are
// rewritten to, for examples that name what every reader has under another name or that
// would take too long, and the tools without which the page is left out.
type sandbox struct {
	script  string // its path; "" without one
	rewrite [][2]string
	needs   []string
}

// sandboxOf reads the script of a page: pages/guide/try.sh of docs/guide/try.md.
//
//	#: OLD => NEW     each OLD in the page's commands becomes NEW
//	#: needs TOOL
func sandboxOf(page string) (*sandbox, error) {
	path := filepath.Join("pages", strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md")+".sh")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &sandbox{}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &sandbox{script: path}
	for line := range strings.Lines(string(text)) {
		said, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "#: ")
		if !ok {
			continue
		}
		if tool, ok := strings.CutPrefix(said, "needs "); ok {
			s.needs = append(s.needs, tool)
		} else if before, after, ok := strings.Cut(said, " => "); ok {
			s.rewrite = append(s.rewrite, [2]string{before, after})
		} else {
			return nil, fmt.Errorf("%s: neither `needs TOOL` nor `OLD => NEW`: %q", path, said)
		}
	}
	return s, nil
}

// rewritten gives the commands as they are run. What a script rewrites has to be there:
// it would else outlive the command that it is for.
func (s *sandbox) rewritten(commands []command) ([]command, error) {
	out := slices.Clone(commands)
	for _, r := range s.rewrite {
		// Not in the middle of a word: DIR is none of BUILD_DIR.
		pattern := regexp.QuoteMeta(r[0])
		if regexp.MustCompile(`^\w`).MatchString(r[0]) {
			pattern = `\b` + pattern
		}
		if regexp.MustCompile(`\w$`).MatchString(r[0]) {
			pattern += `\b`
		}
		old, found := regexp.MustCompile(pattern), false
		for i := range out {
			found = found || old.MatchString(out[i].text)
			out[i].text = old.ReplaceAllLiteralString(out[i].text, r[1])
		}
		if !found {
			return nil, fmt.Errorf("%s rewrites %q, which no command of the page has", s.script, r[0])
		}
	}
	return out, nil
}

// program is what bash runs: the prelude, the page's script, and the commands, each after
// its place. A command stands in braces, so that it is the shell that goes on which it
// changes, and that whichever part of it fails, it is the command that failed.
func (s *sandbox) program(here string, commands []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ". %s\n", quoted(filepath.Join(here, "prelude.sh")))
	if s.script != "" {
		fmt.Fprintf(&b, "at %s\n. %s\n", quoted(s.script), quoted(filepath.Join(here, s.script)))
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "at %s %s\n{ %s\n} || failed\n", quoted(fmt.Sprintf("%s:%d", c.page, c.line)), quoted(c.text), c.text)
	}
	b.WriteString("at 'the end'\nfinish\n")
	return b.String()
}

// quoted is a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shared makes once what most pages need: a program that was built and recorded.
func shared(t *testing.T, here string) string {
	t.Helper()
	dir := t.TempDir()
	sandboxed(t, dir, fmt.Sprintf(". %s\nat prepare.sh\n. %s\n", quoted(filepath.Join(here, "prelude.sh")), quoted(filepath.Join(here, "prepare.sh"))), here, dir)
	return dir
}

// sandboxed runs a bash program in a directory and a home of its own, in a network that
// has only this machine: pages use the usual ports, and nothing asks anybody else.
func sandboxed(t *testing.T, dir, program, here, common string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", program)
	bash.Dir = dir
	home := t.TempDir()
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	goEnv := func(name string) string {
		out, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	bash.Env = append(os.Environ(),
		"HOME="+home, "reader_home="+os.Getenv("HOME"), "XDG_CONFIG_HOME="+home+"/config", "XDG_CACHE_HOME="+home+"/cache", "XDG_DATA_HOME="+home+"/data", "XDG_STATE_HOME="+home+"/state",
		"PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"), "DEBUGINFOD_URLS=", "COLUMNS=120",
		"GOCACHE="+goEnv("GOCACHE"), "GOTOOLCHAIN=local", "GOFLAGS=",
		"GIT_CONFIG_GLOBAL="+filepath.Join(here, "gitconfig"), "GIT_CONFIG_SYSTEM=/dev/null",
		"blocks="+here, "shared="+common, "top="+root)
	attributes := &syscall.SysProcAttr{Setpgid: true, Cloneflags: syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	bash.SysProcAttr = attributes
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) }
	bash.WaitDelay = 5 * time.Second
	// A file, not a pipe: what is left running would hold a pipe open.
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	bash.Stdout, bash.Stderr = log, log
	err = bash.Run()
	if bash.Process != nil {
		_ = syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) // what a failure left
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	text, readErr := os.ReadFile(log.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(text, 60))
	}
	t.Logf("%s", lastLines(text, 20))
}

func lastLines(text []byte, n int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], nil)
}

// Every command that README and the guides show runs as it is shown, but for what its
// block says is not run, and why.
func TestCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every page's commands")
	}
	for _, name := range []string{"whyhot", "whyhot-analyzer", "whyhot-images", "whyhot-server"} {
		if _, err := os.Stat(filepath.Join(top, "bin", name)); err != nil {
			t.Fatalf("%v: `make build analyzer images server` builds what the pages use", err)
		}
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	common := shared(t, here)
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(top, page))
		if err != nil {
			t.Fatal(err)
		}
		all, err := commandsOf(page, string(text))
		if err != nil {
			t.Fatal(err)
		}
		commands := slices.DeleteFunc(all, func(c command) bool { return c.notRun != "" })
		if len(commands) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s, err := sandboxOf(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range s.needs {
				if _, err := tool.Find(name); err != nil {
					t.Skipf("no %s here: %v", name, err)
				}
			}
			commands, err := s.rewritten(commands)
			if err != nil {
				t.Fatal(err)
			}
			sandboxed(t, t.TempDir(), s.program(here, commands), here, common)
		})
	}
}

// A script whose page is gone, or has no command that is run, is dead.
func TestScriptsHavePages(t *testing.T) {
	known := map[string]bool{}
	for _, page := range pages(t) {
		s, err := sandboxOf(page)
		if err != nil {
			t.Error(err)
			continue
		}
		known[s.script] = true
	}
	err := filepath.WalkDir("pages", func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !known[path] {
			t.Errorf("%s is of no page", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A command that fails in its middle fails the page, under its own place; one that
// succeeds leaves its directory and variables to the next.
func TestProgram(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	run := func(commands ...command) (string, error) {
		bash := exec.CommandContext(t.Context(), "bash", "-c", (&sandbox{}).program(here, commands))
		bash.Dir = t.TempDir()
		bash.Env = append(os.Environ(), "blocks="+here)
		out, err := bash.CombinedOutput()
		return string(out), err
	}
	if out, err := run(command{page: "a.md", line: 1, text: "mkdir x && cd x # there"}, command{page: "a.md", line: 2, text: "y=3"}, command{page: "a.md", line: 3, text: `test "$(basename "$PWD")$y" = x3`}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, text := range []string{"false && true", "false | cat", "(cd nowhere && true)", "no-such-program"} {
		if out, err := run(command{page: "a.md", line: 7, text: text}, command{page: "a.md", line: 8, text: "true"}); err == nil || !strings.Contains(out, "a.md:7: failed") {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
}

func TestRewritten(t *testing.T) {
	s := &sandbox{rewrite: [][2]string{{"ID", "$finding"}, {"10m", "10s"}}}
	got, err := s.rewritten([]command{{text: "try --finding ID -p BUILD_ID --budget 10m"}})
	if err != nil || got[0].text != "try --finding $finding -p BUILD_ID --budget 10s" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := s.rewritten([]command{{text: "try --finding ID"}}); err == nil {
		t.Error("what is rewritten is not there, and nobody says it")
	}
}
