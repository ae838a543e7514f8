package symbol

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"whyhot/internal/symbol/kallsyms"
)

func TestKernelCache(t *testing.T) {
	const list = "ffffffff81000000 T _text\nffffffff81000040 T do_work\nffffffff81001000 T last\n" +
		"ffffffffc0000000 t mod_fn\t[nf_tables]\nffffffffc0100000 t bpf_prog_1\t[bpf]\n"
	table, err := kallsyms.Parse(strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	c := kernelCache{dir: filepath.Join(t.TempDir(), "new")}
	if c.key() == "" {
		t.Skip("no boot ID here")
	}
	if c.load() != nil {
		t.Error("something was in an empty cache")
	}
	c.store(table)
	got := c.load()
	if got == nil {
		t.Fatal("what was stored is not there")
	}
	for addr, want := range map[uint64]string{0xffffffff81000044: "do_work", 0xffffffffc0000001: "mod_fn", 0xffffffffc0100000: ""} {
		if s, _ := got.Find(addr); s.Name != want {
			t.Errorf("%#x is %q, want %q", addr, s.Name, want)
		}
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}

	path := filepath.Join(c.dir, kernelCacheFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{
		"another kernel's": append([]byte("x"), data...),
		"damaged":          append(bytes.Clone(data), "no symbol\n"...),
		"empty":            nil,
	} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.load() != nil {
			t.Errorf("a list that is %s was taken", what)
		}
	}
	if other := (kernelCache{dir: c.dir, root: "/mnt"}); other.key() != "" || (kernelCache{}).key() != "" {
		t.Error("a cache for another system, or nowhere")
	}
}

// TestKernelAsksAgain looks for a symbol that came after the list was kept.
func TestKernelAsksAgain(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o700); err != nil {
		t.Fatal(err)
	}
	now := "ffffffff81000000 T _text\nffffffffc0100000 t bpf_prog_1\t[bpf]\n"
	if err := os.WriteFile(filepath.Join(root, "proc/kallsyms"), []byte(now), 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := kallsyms.Parse(strings.NewReader("ffffffff81000000 T _text\nffffffff82000000 D some_data\nffffffff83000000 B _end\n"))
	if err != nil {
		t.Fatal(err)
	}
	k := kernelNames{root: root, table: old, cached: true, text: []uint64{0xffffffff81000000}}
	if s, ok := k.find(0xffffffff81000001); !ok || s.Name != "_text" || k.full != nil {
		t.Errorf("%+v; asked again for what is known: %v", s, k.full != nil)
	}
	for what, addr := range map[string]uint64{
		"a number": 0x6768, "an error": math.MaxUint64 - 21, "a program": 0x55cb8521c960,
		"memory": 0xffff888100000000, "the kernel's data": 0xffffffff82000010,
	} {
		if addr >= 1<<63 && what != "the kernel's data" && runtime.GOARCH != "amd64" {
			continue
		}
		if s, ok := k.find(addr); ok || k.full != nil {
			t.Fatalf("%s, %#x: %+v; asked again: %v", what, addr, s, k.full != nil)
		}
	}
	if s, _ := k.find(0xffffffffc0100000); s.Name != "bpf_prog_1" {
		t.Errorf("%+v", s)
	}
}
