package sample

import (
	"debug/elf"
	"errors"
	"os"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/profile"
	"whyhot/internal/trial/rebuild"
)

// The addresses of samples are counted by the program's own file, wherever it was
// loaded; what ran elsewhere is not counted.
func TestLeavesAreOfTheProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(self)
	if err != nil {
		t.Skip(err)
	}
	var code *elf.Prog
	for _, s := range f.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			code = s
		}
	}
	if err := f.Close(); err != nil || code == nil {
		t.Fatal("a program without code", err)
	}
	const moved, at = 0x7f0000000000, 0x40
	b := profile.NewBuilder()
	here := b.Mapping(profile.Mapping{Path: self, Start: moved, Offset: code.Off})
	other := b.Mapping(profile.Mapping{Path: "/lib/libc.so.6", Start: 0x1000})
	for _, s := range []struct {
		in    profile.MappingID
		at    uint64
		count int64
	}{{here, moved + at, 3}, {here, moved + at, 2}, {other, 0x1040, 7}} {
		stack := b.Stack([]profile.LocationID{b.Location(s.in, s.at, profile.KindNative)})
		b.Sample(profile.Sample{Stack: stack, Count: s.count, Value: s.count})
	}
	p := b.Build(profile.Meta{})
	got, err := leaves(p, self)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[code.Vaddr+at] != 5 {
		t.Errorf("%v, want 5 at %#x", got, code.Vaddr+at)
	}
	if _, err := leaves(p, "/nowhere"); err == nil {
		t.Error("a program that is not there")
	}
}

// A real recording counts the program's own instructions, and no others.
func TestLeavesOfARecording(t *testing.T) {
	program := burn.Build(t)
	got, err := Leaves(t.Context(), rebuild.SampleJob{Program: program, Args: []string{program, "both", "100"}, Env: append(os.Environ(), "WHYHOT_SAMPLE=1"), Dir: t.TempDir()})
	if none, ok := errors.AsType[*collect.UnavailableError](err); ok {
		t.Skip("nothing can record here: ", none)
	}
	if err != nil {
		t.Fatal(err)
	}
	var in, out int64
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text := f.Section(".text")
	for address, n := range got {
		if address >= text.Addr && address < text.Addr+text.Size {
			in += n
		} else {
			out += n
		}
	}
	if in < 20 || out > in/4 {
		t.Errorf("%d samples in the program's code, %d elsewhere in it", in, out)
	}
}
