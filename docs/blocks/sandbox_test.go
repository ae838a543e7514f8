package blocks

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/server"
	"whyhot/internal/server/project"
	"whyhot/internal/server/servertest"
)

const top = "../.."

// built are the other programs, which `make test` builds first.
var built = []string{"whyhot-analyzer", "whyhot-whatif.so", "whyhot-server", "whyhot-images"}

// sandbox is what pages start from: a program with its source, its build and its past in
// git, profiles of it, and a server that has some.
type sandbox struct {
	dir, programs, home string
	values              map[string]string // what placeholders stand for
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := &sandbox{dir: filepath.Join(t.TempDir(), "work"), programs: t.TempDir(), home: t.TempDir()}
	s.install(t)
	if err := os.CopyFS(s.dir, os.DirFS("testdata/sandbox")); err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	s.values = map[string]string{"TOP": top, "SERVER": startServer(t)}
	s.must(t, `
		seq 1 60000 | awk '{print "a line of the input, number " $1}' > input
		head -n 20000 input > few
		echo '[{"id":1},{"id":2}]' > big.json
		mkdir -p build scripts ci && cp "`+top+`/scripts/compile-commands" scripts/
		printf 'build/\napp\nbench\n*.o\n*.gz\n*.json\ninput\nfew\n' > .gitignore
		git init -q -b main . && git add . && git commit -qm 'First version' && git tag v1.4
		sed -i 's/round < 12/round < 24/' src/main.cpp && git commit -qam 'More rounds'
		git update-ref refs/remotes/origin/main HEAD
		make -s
		for copy in sum.c sum2.c; do cp src/sum.c $copy; done; for copy in old.o new.o; do cp sum.o $copy; done
		scripts/compile-commands . -B && cp compile_commands.json build/
		whyhot record -o app.pb.gz -- ./app input
		for copy in whyhot-app cpu now monday tuesday before after production; do cp app.pb.gz $copy.pb.gz; done
		whyhot scan --json -p build > report.json
		for version in 1.4 1.5; do
			for service in web checkout; do
				whyhot push profile.folded --to $SERVER --service $service --version $version --label pod=web-1 --label environment=test --period 1ms
			done
		done`)
	s.values["ID"] = s.finding(t, `whyhot explain --json app.pb.gz`, "glibc-malloc")
	s.values["LOOP"] = s.finding(t, `cat report.json`, "alias-char-write")
	if err := os.Rename(s.dir, s.kept()); err != nil {
		t.Fatal(err)
	}
	return s
}

// install puts whyhot and the other programs on a PATH of their own.
func (s *sandbox) install(t *testing.T) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(s.programs, "whyhot"), "./cmd/whyhot")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range built {
		path, err := filepath.Abs(filepath.Join(top, "bin", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Skipf("%s was not built: make analyzer server images", name)
		}
		if err := os.Symlink(path, filepath.Join(s.programs, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// startServer runs a server in this process and gives its address.
func startServer(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	at, ended := make(chan string, 1), make(chan error, 1)
	srv, err := server.Open(ctx, server.Options{
		Data: t.TempDir(), Listen: "127.0.0.1:0", NoWatch: true,
		Open: func(ctx context.Context, dir, debugDir string) (project.Store, error) {
			return servertest.Open(ctx, dir, debugDir)
		},
		Listening: func(_ string, addr net.Addr) { at <- addr.String() },
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { ended <- srv.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + <-at
}

// environment is that of somebody who just logged in.
func (s *sandbox) environment() []string {
	return []string{
		"PATH=" + s.programs + ":" + os.Getenv("PATH"), "HOME=" + s.home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		"GOCACHE=" + os.Getenv("GOCACHE"), "SERVER=" + s.values["SERVER"],
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}
}

func (s *sandbox) shell(ctx context.Context, dir, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", text)
	cmd.Dir, cmd.Env = dir, s.environment()
	return cmd
}

func (s *sandbox) must(t *testing.T, text string) {
	t.Helper()
	if out, err := s.shell(t.Context(), s.dir, text).CombinedOutput(); err != nil {
		t.Fatalf("the sandbox cannot be made: %v\n%s", err, out)
	}
}

// finding is the ID of a finding of a rule, of what a command answers.
func (s *sandbox) finding(t *testing.T, text, rule string) string {
	t.Helper()
	out, err := s.shell(t.Context(), s.dir, text).Output()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var report struct {
		Findings []struct {
			ID   string `json:"id"`
			Rule string `json:"rule"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var rules []string
	for _, f := range report.Findings {
		if f.Rule == rule {
			return f.ID
		}
		rules = append(rules, f.Rule)
	}
	t.Fatalf("%s: no finding of %s, only %s", text, rule, strings.Join(rules, ", "))
	return ""
}

func (s *sandbox) kept() string { return s.dir + ".kept" }

// restore makes the sandbox as it was at first, at the same path: builds name theirs.
func (s *sandbox) restore(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", s.kept(), s.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
