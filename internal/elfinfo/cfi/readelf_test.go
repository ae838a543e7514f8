package cfi

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tool"
)

// readelfNames are readelf's names of the registers, by DWARF number.
var readelfNames = [Columns]string{
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ra",
}

// frames are the tables of a file.
type frames []*Section

func open(path string) (frames, error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return slices.DeleteFunc(frames{Exception(f), Debug(f)}, func(s *Section) bool { return s == nil }), nil
}

func (fs frames) row(pc uint64) *Row {
	for _, s := range fs {
		if f, ok := s.Find(pc); ok {
			if r, ok := f.Row(pc); ok {
				return r
			}
		}
	}
	return nil
}

// text is a row as readelf prints it: "CFA" and then the registers asked for.
func (r *Row) text(cols []string) string {
	out := make([]string, 0, len(cols)+1)
	if r.CFAExpr != nil {
		out = append(out, "exp")
	} else {
		out = append(out, fmt.Sprintf("%s%+d", readelfNames[r.CFARegister], r.CFAOffset))
	}
	for _, col := range cols {
		cell := "u" // readelf's word for what no instruction mentioned
		for _, rl := range r.Rules {
			if readelfNames[rl.Register] != col {
				continue
			}
			switch rl.Kind {
			case Same, Lost: // readelf has no word for them
			case AtOffset:
				cell = fmt.Sprintf("c%+d", rl.Offset)
			case IsOffset:
				cell = fmt.Sprintf("v%+d", rl.Offset)
			case AtValue:
				cell = "exp"
			case IsValue:
				cell = "vexp"
			case OfRegister:
				cell = readelfNames[rl.Offset]
			}
		}
		out = append(out, cell)
	}
	return strings.Join(out, " ")
}

// TestRowsSameAsReadelf compares every row of whole binaries with what binutils
// makes of the same tables.
func TestRowsSameAsReadelf(t *testing.T) {
	if _, err := tool.Find("readelf"); err != nil {
		t.Skip("readelf is not installed")
	}
	files := append([]string{"/bin/ls", "/usr/bin/perl"}, compiled(t)...)
	for _, pattern := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib64/ld-linux-x86-64.so.2"} {
		m, _ := filepath.Glob(pattern)
		files = append(files, m...)
	}
	compared := 0
	for _, file := range files {
		m, err := open(file)
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		n := compareWithReadelf(t, file, m)
		t.Logf("%s: %d rows", file, n)
		compared += n
	}
	if compared == 0 {
		t.Skip("no binary with frame descriptions")
	}
}

// inRegister is how readelf writes that a register is in another: its number
// and its name.
var inRegister = regexp.MustCompile(`r\d+ \((\w+)\)`)

const cProgram = `
#include <stdlib.h>
#include <string.h>
int depth(int n, char *p) { char buf[64]; memset(buf, n, sizeof buf); return n ? depth(n - 1, buf) + p[n % 8] : *p; }
int realigned(int n) { double v[n + 1] __attribute__((aligned(64))); v[n] = n; return (int)v[n] + depth(n, (char *)v); }
int main(int argc, char **argv) { return realigned(argc) + atoi(argv[0]); }
`

// compiled makes binaries of the kinds that Debian has none of: only a
// .debug_frame, and no .eh_frame_hdr.
func compiled(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "a.c")
	if err := os.WriteFile(src, []byte(cProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	var files []string
	for name, flags := range map[string][]string{
		"debug-frame": {"-g", "-fno-asynchronous-unwind-tables"},
		"static":      {"-static", "-Wl,--no-eh-frame-hdr"},
	} {
		out := filepath.Join(dir, name)
		args := append(append([]string{"-O2", "-fomit-frame-pointer"}, flags...), "-o", out, src)
		if msg, err := exec.CommandContext(t.Context(), "cc", args...).CombinedOutput(); err != nil {
			t.Logf("cc: %v %s", err, msg)
			continue
		}
		files = append(files, out)
	}
	return files
}

func compareWithReadelf(t *testing.T, file string, m frames) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "readelf", "--debug-dump=frames-interp", file)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n, bad := 0, 0
	var cols []string
	fde := false
	sc := bufio.NewScanner(pipe)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		switch {
		case strings.Contains(sc.Text(), " FDE ") || strings.Contains(sc.Text(), " CIE "):
			fde = strings.Contains(sc.Text(), " FDE ")
			cols = nil
			continue
		case len(f) > 1 && f[0] == "LOC":
			cols = f[2:]
			continue
		case !fde || len(f) < 2 || len(f[0]) != 16:
			continue
		}
		pc, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			continue
		}
		var got string
		if r := m.row(pc); r != nil {
			got = r.text(cols)
		}
		n++
		// readelf writes "s" for an explicit same value, which is no rule here.
		want := strings.ReplaceAll(inRegister.ReplaceAllString(strings.Join(f[1:], " "), "$1"), " s", " u")
		if got != want {
			if bad++; bad < 5 {
				t.Errorf("%s at %x: %q, readelf says %q (columns %q)", file, pc, got, want, cols)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Logf("readelf %s: %v", file, err) // it also complains of other sections
	}
	if bad > 0 {
		t.Errorf("%s: %d of %d rows differ", file, bad, n)
	}
	return n
}
