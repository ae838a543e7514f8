package privilege

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const program = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"whyhot/internal/fleet/agent/privilege"
)

func main() {
	for range 4 { // threads of their own
		go func() { runtime.LockOSThread(); select {} }()
	}
	runtime.Gosched()
	if err := privilege.Keep(1 << 2); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		text, _ := os.ReadFile("/proc/self/task/" + t.Name() + "/status")
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "CapEff") || strings.HasPrefix(line, "CapPrm") || strings.HasPrefix(line, "NoNewPrivs") {
				fmt.Print(line)
			}
		}
	}
}
`

// Every thread keeps one capability, of which 2 is CAP_DAC_READ_SEARCH. The program
// is built without cgo, as whyhot is.
func TestKeep(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has what it could give up")
	}
	dir, err := os.MkdirTemp(".", "testprogram") //nolint:usetesting // it must lie in the module to import from it
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "keep")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./"+dir)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := exec.CommandContext(t.Context(), binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := map[string]bool{
		fmt.Sprintf("CapPrm:\t%016x", 1<<unix.CAP_DAC_READ_SEARCH): true, fmt.Sprintf("CapEff:\t%016x", 1<<unix.CAP_DAC_READ_SEARCH): true, "NoNewPrivs:\t1": true,
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 5*len(want) {
		t.Errorf("%d threads", len(lines)/len(want))
	}
	for _, line := range lines {
		if !want[line] {
			t.Errorf("%q", line)
		}
	}
}
