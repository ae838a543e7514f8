package perfmap

import (
	"strings"
	"testing"
)

const text = `7f0000001000 40 LazyCompile:*f /srv/a.js:1:2
7f0000001040 20 py::work:/srv/a.py
0x7f0000002000 0x100 [stub] with blanks
7f0000001020 10 newer code
torn li`

func TestFind(t *testing.T) {
	m, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{
		0x7f0000000fff: "",
		0x7f0000001000: "LazyCompile:*f /srv/a.js:1:2",
		0x7f0000001020: "newer code", // the memory was used again
		0x7f0000001030: "LazyCompile:*f /srv/a.js:1:2",
		0x7f000000105f: "py::work:/srv/a.py",
		0x7f0000001060: "",
		0x7f00000020ff: "[stub] with blanks",
	} {
		if s, _ := m.Find(addr); s.Name != want {
			t.Errorf("%#x: %q, want %q", addr, s.Name, want)
		}
	}
	if m.Skipped != 1 {
		t.Errorf("skipped %d lines, want 1", m.Skipped)
	}
}

func TestForeign(t *testing.T) {
	if _, err := Parse(strings.NewReader("this is\nno map at all\n")); err == nil {
		t.Error("a text in no line of which is an entry must be an error")
	}
	if m, err := Parse(strings.NewReader("")); err != nil || m.Len() != 0 {
		t.Errorf("an empty map is a map: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for i, s := range m.symbols {
			if _, ok := m.Find(s.Low); !ok {
				t.Fatalf("entry %d is not found at its own address", i)
			}
		}
	})
}
