package goroutine

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

func TestEndsAreRead(t *testing.T) {
	b := make([]byte, toldSize)
	for at, v := range map[int]uint64{toldProcess: 7, toldGoroutine: 0xc000123456, toldStack: 9, toldCaller: 0x4321, toldFor: 1000} {
		binary.NativeEndian.PutUint64(b[at:], v)
	}
	want := ended{process: 7, goroutine: 0xc000123456, stack: 9, caller: 0x4321, nanoseconds: 1000}
	if e, ok := parse(b); !ok || e != want {
		t.Errorf("%+v, %v", e, ok)
	}
	b[toldFor+7] = 0x80
	if _, ok := parse(b); ok {
		t.Error("a wait ends before it begins")
	}
	if _, ok := parse(b[1:]); ok {
		t.Error("a part of it is read")
	}
}

// Most processes run no program of Go, and no program at all may be left of one.
func TestOtherPrograms(t *testing.T) {
	r := &Recorder{}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, "/bin/true", filepath.Join(t.TempDir(), "gone")} {
		if p, err := r.attach(path); p != nil || err != nil {
			t.Errorf("%s: %v, %v", path, p, err)
		}
	}
	var none *Recorder
	none.Process(1)
	none.Mapped(1, "")
	if all, notes := none.Waits(); all != nil || notes != nil {
		t.Error(all, notes)
	}
	none.Close()
}
