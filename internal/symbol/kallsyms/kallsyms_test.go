package kallsyms

import (
	"errors"
	"os"
	"strings"
	"testing"
)

const list = `ffffffff81000000 T entry_ret
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000040 t local_alias
ffffffff81000040 T do_work
ffffffff81000100 D some_data
ffffffff81001000 T last_core
ffffffffc0000000 t mod_fn	[nf_tables]
ffffffffc0000100 d mod_data	[nf_tables]
0000000000000000 A per_cpu
`

func TestFind(t *testing.T) {
	table, err := Parse(strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{
		0xffffffff80ffffff: "",
		0xffffffff81000000: "entry_ret",
		0xffffffff8100003f: "entry_ret",
		0xffffffff81000041: "do_work",
		0xffffffff81000100: "", // data
		0xffffffff81001fff: "last_core",
		0xffffffff81002000: "", // beyond the page after the last symbol
		0xffffffffc0000010: "mod_fn",
		0xffffffffc0000100: "",
	} {
		s, _ := table.Find(addr)
		if s.Name != want {
			t.Errorf("%#x: %q, want %q", addr, s.Name, want)
		}
	}
	if s, _ := table.Find(0xffffffffc0000010); s.Module != "nf_tables" {
		t.Errorf("module %q", s.Module)
	}
	if a, ok := table.Address("_text"); !ok || a != 0xffffffff81000000 {
		t.Errorf("address of _text: %#x", a)
	}
}

func TestHidden(t *testing.T) {
	_, err := Parse(strings.NewReader("0000000000000000 T _text\n0000000000000000 T do_work\n"))
	if !errors.Is(err, ErrHidden) {
		t.Errorf("all addresses zero: %v", err)
	}
}

func TestForeign(t *testing.T) {
	_, err := Parse(strings.NewReader("ffffffff81000000 T _text\nhello\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("want an error that names line 2, got %v", err)
	}
}

func TestThisKernel(t *testing.T) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	table, err := Parse(f)
	if errors.Is(err, ErrHidden) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() < 1000 {
		t.Errorf("only %d symbols in this kernel", table.Len())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(list)
	f.Add("0 T x")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for i := range table.symbols {
			s := table.symbol(&table.symbols[i])
			if got, ok := table.Find(s.Low); s.High > s.Low && (!ok || got.Low != s.Low) {
				t.Fatalf("%+v is not found at its own address: %+v", s, got)
			}
		}
	})
}
