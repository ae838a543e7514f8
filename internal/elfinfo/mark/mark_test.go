package mark

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// note is one ELF note, padded as linkers leave it.
func note(owner string, kind uint32, text string) []byte {
	var b bytes.Buffer
	pad := func() {
		for b.Len()%noteAlign != 0 {
			b.WriteByte(0)
		}
	}
	for _, v := range []uint32{uint32(len(owner) + 1), uint32(len(text) + 1), kind} {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString(owner + "\x00")
	pad()
	b.WriteString(text + "\x00")
	pad()
	return b.Bytes()
}

func TestOurNoteAmongOthers(t *testing.T) {
	build := note("GNU", 3, "0123456789")
	ours := note("whyhot", noteType, "what-if a-1,b-2")
	m, ok := findNote(slices.Concat(build, ours), binary.LittleEndian)
	if !ok || !slices.Equal(m.Findings, []string{"a-1", "b-2"}) || m.Placebo {
		t.Errorf("got %+v, %t", m, ok)
	}
	if m, ok := findNote(slices.Concat(ours[:12], build), binary.LittleEndian); ok {
		t.Errorf("a note that is cut off was read: %+v", m)
	}
	for _, other := range [][]byte{build, note("whyhot", 1, "what-if a"), note("whyho", noteType, "what-if a"), nil} {
		if m, ok := findNote(other, binary.LittleEndian); ok {
			t.Errorf("a foreign note was taken for ours: %+v", m)
		}
	}
	if m, _ := findNote(note("whyhot", noteType, "placebo a-1"), binary.LittleEndian); !m.Placebo {
		t.Error("the placebo is not told")
	}
}

func TestNoProgramHasNoMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, ok, err := Read(path); ok || err != nil {
		t.Errorf("got %+v, %v", m, err)
	}
	if _, _, err := Read(path + ".absent"); err == nil {
		t.Error("a file that is not there is no error")
	}
}

// Whatever the bytes are, reading them ends, and what it finds stands in them.
func FuzzFindNote(f *testing.F) {
	f.Add(note("whyhot", noteType, "what-if a-1"))
	f.Add(slices.Concat(note("GNU", 3, "xyz"), note("whyhot", noteType, "placebo a,b")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, ok := findNote(data, binary.LittleEndian)
		if ok && !bytes.Contains(data, []byte(noteOwner)) {
			t.Errorf("found %+v in bytes that do not name us", m)
		}
	})
}
