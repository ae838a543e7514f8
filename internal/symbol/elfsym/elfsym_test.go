package elfsym

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tool"
	"whyhot/internal/host/tooltest"
)

// assembly has a function, a label without type and size that falls through, and
// a library's tail that no symbol describes.
const assembly = `
	.text
	.globl sized
	.type sized, @function
sized:
	.cfi_startproc
	nop
	nop
	ret
	.cfi_endproc
	.size sized, .-sized
	.globl unsized
unsized:
	.cfi_startproc
	.skip 64, 0x90
	ret
	.cfi_endproc
tail:
	.cfi_startproc
	.skip 4096, 0x90
	ret
	.cfi_endproc
	.globl nowhere
nowhere:
	.skip 128, 0x90
	.section .text.last,"ax",@progbits
	ret
	.section .note.GNU-stack,"",@progbits
`

func build(t *testing.T, source, ext string, flags ...string) string {
	t.Helper()
	return tooltest.Compile(t, "gcc", "in"+ext, source, flags...)
}

func read(t *testing.T, path string) *Table {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	table, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func bySymbol(t *testing.T, table *Table, name string) Symbol {
	t.Helper()
	for _, s := range table.Symbols() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no symbol %s", name)
	return Symbol{}
}

func TestSymbolsWithoutSize(t *testing.T) {
	path := build(t, assembly, ".s", "-shared", "-nostdlib", "-Wl,--eh-frame-hdr")
	table := read(t, path)
	if !table.HasStatic() {
		t.Error("the file is not stripped")
	}
	unsized, tail := bySymbol(t, table, "unsized"), bySymbol(t, table, "tail")
	if unsized.High != tail.Low || tail.High != bySymbol(t, table, "nowhere").Low {
		t.Errorf("a symbol without size should reach to the next: %+v %+v", unsized, tail)
	}

	stripped := path + ".stripped"
	if msg, err := exec.CommandContext(t.Context(), "objcopy", "--strip-all", path, stripped).CombinedOutput(); err != nil {
		t.Skipf("objcopy: %v %s", err, msg)
	}
	table = read(t, stripped)
	if table.HasStatic() {
		t.Error("the file is stripped")
	}
	if got := bySymbol(t, table, "unsized"); got.High != unsized.High {
		t.Errorf("unsized reaches to %#x, its unwind entry to %#x", got.High, unsized.High)
	}
	for addr := tail.Low; addr < tail.Low+4096+128; addr += 64 {
		if s, ok := table.Find(addr); ok {
			t.Fatalf("%#x, in code that no exported symbol describes, is called %s", addr, s.Name)
		}
	}
	if s, ok := table.Find(bySymbol(t, table, "sized").Low + 1); !ok || s.Name != "sized" {
		t.Errorf("got %+v", s)
	}
}

func TestAliasesAndStubs(t *testing.T) {
	table := read(t, build(t, `
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int __inner_work(int x) { return printf("%d", x); }
int work(int x) __attribute__((alias("__inner_work")));
int main(int argc, char **argv) { puts(argv[0]); return __inner_work(argc) + rand(); }
`, ".c", "-O1", "-fcf-protection"))
	s := bySymbol(t, table, "work")
	if got, _ := table.Find(s.Low); got.Name != "work" {
		t.Errorf("the alias %q was taken", got.Name)
	}
	var stubs []string
	for _, s := range table.Symbols() {
		if strings.HasSuffix(s.Name, "@plt") {
			stubs = append(stubs, s.Name)
		}
	}
	for _, want := range []string{"puts@plt", "rand@plt", "printf@plt"} {
		if !strings.Contains(strings.Join(stubs, " "), want) {
			t.Errorf("stubs %q lack %s", stubs, want)
		}
	}
}

// TestStubsARM64 decodes the two instructions as the architecture manual has
// them: adrp x16, 0x410000 (at 0x400010); ldr x17, [x16, #24].
func TestStubsARM64(t *testing.T) {
	stub := []byte{0x90, 0x00, 0x00, 0x90, 0x11, 0x0e, 0x40, 0xf9, 0x10, 0x62, 0x00, 0x91, 0x20, 0x02, 0x1f, 0xd6}
	got, ok := slotARM64(stub, 0x400010)
	if !ok || got != 0x410018 {
		t.Errorf("%#x %v", got, ok)
	}
	back := []byte{0xf0, 0xff, 0xff, 0xf0, 0x11, 0x02, 0x40, 0xf9, 0, 0, 0, 0, 0, 0, 0, 0}
	if got, ok := slotARM64(back, 0x400010); !ok || got != 0x3ff000 {
		t.Errorf("backwards: %#x %v", got, ok)
	}
}

func TestMiniDebugInfo(t *testing.T) {
	xz, err := tool.Find("xz")
	if err != nil {
		t.Skip("needs xz")
	}
	path := build(t, "static __attribute__((noinline)) int local_fn(int x) { return x * 3; }\nint exported(int x) { return local_fn(x); }\n",
		".c", "-O1", "-shared", "-fPIC")
	want := bySymbol(t, read(t, path), "local_fn")
	dir := filepath.Dir(path)
	for _, args := range [][]string{
		{"objcopy", "-S", "--keep-symbol=local_fn", path, filepath.Join(dir, "mini")},
		{xz, filepath.Join(dir, "mini")},
		{"objcopy", "--strip-all", "--add-section", ".gnu_debugdata=" + filepath.Join(dir, "mini.xz"), path},
	} {
		if msg, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v %s", args, err, msg)
		}
	}
	table := read(t, path)
	if got := bySymbol(t, table, "local_fn"); got.Low != want.Low || got.High != want.High {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !table.HasStatic() {
		t.Error("local functions are known")
	}
}
