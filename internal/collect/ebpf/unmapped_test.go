package ebpf

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"

	"whyhot/internal/collect/ebpf/unwindcache"
)

// mappedKiB is how much of a mapped file is in this process's memory.
func mappedKiB(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum, inside := 0, false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		var n int
		switch _, err := fmt.Sscanf(line, "Rss: %d kB", &n); {
		case err == nil && inside:
			sum += n
		case strings.Contains(line, "-") && !strings.Contains(strings.Fields(line)[0], ":"):
			inside = strings.HasSuffix(line, path)
		}
	}
	return sum
}

// trampolines makes a library of functions that are as long as a signal's return, one on
// each page.
func trampolines(t *testing.T, pages int) string {
	t.Helper()
	length := map[string]int{"amd64": 9, "arm64": 8}[runtime.GOARCH]
	if length == 0 {
		t.Skip("the code of a signal's return is not known here")
	}
	dir := t.TempDir()
	source, path := filepath.Join(dir, "t.s"), filepath.Join(dir, "t.so")
	text := fmt.Sprintf(".text\n.rept %d\n.balign 4096\n.cfi_startproc\n.skip %d\n.cfi_endproc\n.endr\n", pages, length)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cc", "-shared", "-nostdlib", "-Wl,--build-id", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestTablesOfAFileDoNotBringItIntoMemory(t *testing.T) {
	const pages = 4096
	path := trampolines(t, pages)
	ref := pfelf.NewReference(path, pfelf.SystemOpener)
	defer ref.Close()
	var maker nativeunwind.StackDeltaProvider = unmapped{elfunwindinfo.NewStackDeltaProvider()}
	maker = unwindcache.NewProvider(unwindcache.In(t.TempDir(), unwindcache.MostBytes), maker)
	tables, err := loaderEntry{maker}.GetIntervalDataForFile(ref)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables.Blocks) < pages {
		t.Errorf("%d functions of %d have tables", len(tables.Blocks), pages)
	}
	if got := mappedKiB(t, path); got > 1024 {
		t.Errorf("%d KiB of the file are in memory", got)
	}
}

// TestGoTableIsGivenBack has this program's own tables made: nothing of it stays in memory.
func TestGoTableIsGivenBack(t *testing.T) {
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy") // the program itself is in memory anyhow
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ref := pfelf.NewReference(path, pfelf.SystemOpener)
	defer ref.Close()
	tables, err := unmapped{elfunwindinfo.NewStackDeltaProvider()}.GetIntervalDataForFile(ref)
	if err != nil || len(tables.Blocks) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	if got := mappedKiB(t, path); got > 1024 {
		t.Errorf("%d KiB of the file are in memory", got)
	}
}
