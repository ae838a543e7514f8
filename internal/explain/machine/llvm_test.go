package machine_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/host/tooltest"
)

// loopSources are the files whose loops are compared, and at which levels;
// WHYHOT_LOOP_SOURCES names others, compiled as WHYHOT_LOOP_FLAGS says.
func loopSources(t *testing.T) (files, levels, flags []string) {
	t.Helper()
	if list := os.Getenv("WHYHOT_LOOP_SOURCES"); list != "" {
		return strings.Fields(list), []string{"-O2"}, strings.Fields(os.Getenv("WHYHOT_LOOP_FLAGS"))
	}
	files, err := filepath.Glob("testdata/llvm/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	return files, []string{"-O1", "-O2", "-O3", "-Os"}, nil
}

var (
	labelOf  = regexp.MustCompile(`^(\.LBB\d+_\d+):`)
	isHeader = regexp.MustCompile(`=>\s*This (Inner )?Loop Header`)
)

// headersIn are the labels of loop headers as LLVM's own code generator comments
// them, and whether each is innermost.
func headersIn(t *testing.T, assembly string) map[string]bool {
	t.Helper()
	f, err := os.Open(assembly)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]bool{}
	label := ""
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := labelOf.FindStringSubmatch(line); m != nil {
			label = m[1]
		} else if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			label = ""
		}
		if m := isHeader.FindStringSubmatch(line); m != nil && label != "" {
			out[label] = m[1] != ""
		}
	}
	return out
}

func TestLoopsAreThoseOfLLVM(t *testing.T) {
	program := analyzertest.Use(t)
	files, levels, flags := loopSources(t)
	all, same, extra, functions := 0, 0, 0, 0
	for _, level := range levels {
		for _, file := range files {
			got, want, n := compare(t, program, file, append([]string{level}, flags...))
			functions += n
			for header := range want {
				all++
				if got[header] {
					same++
				} else {
					t.Logf("%s %s: no innermost loop at 0x%x", filepath.Base(file), level, header)
				}
			}
			for header := range got {
				if !want[header] {
					extra++
					t.Logf("%s %s: LLVM has no innermost loop at 0x%x", filepath.Base(file), level, header)
				}
			}
		}
	}
	t.Logf("%d functions, %d innermost loops by LLVM, %d found, %d that LLVM does not have", functions, all, same, extra)
	const enough = 0.98
	if all < 50 || float64(same) < enough*float64(all) || float64(extra) > (1-enough)*float64(all) {
		t.Errorf("%d of %d innermost loops, and %d others", same, all, extra)
	}
}

// compare gives the innermost headers that the analyser finds in the machine code,
// and those that the code generator had.
func compare(t *testing.T, program, file string, flags []string) (got, want map[uint64]bool, functions int) {
	t.Helper()
	dir := t.TempDir()
	assembly, object, library := filepath.Join(dir, "x.s"), filepath.Join(dir, "x.o"), filepath.Join(dir, "x.so")
	tooltest.Run(t, "clang-19", append(flags, "-w", "-fPIC", "-S", file, "-o", assembly)...)
	tooltest.Run(t, "llvm-mc-19", "-triple=x86_64-linux-gnu", "-filetype=obj", "--save-temp-labels", assembly, "-o", object)
	tooltest.Run(t, "clang-19", "-shared", "-Wl,--discard-none", "-Wl,-z,lazy", object, "-o", library)
	headers := headersIn(t, assembly)
	want = map[uint64]bool{}
	for _, s := range symbolsOf(t, library) {
		if headers[s.Name] {
			want[s.Value] = true
		}
	}
	got = map[uint64]bool{}
	for _, fn := range analysed(t, program, library) {
		if len(fn.Loops) > 0 {
			functions++
		}
		for _, l := range fn.Loops {
			if l.Innermost {
				got[l.Header] = true
			}
		}
	}
	return got, want, functions
}
