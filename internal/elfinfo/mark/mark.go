// Package mark reads the note that a what-if build leaves in a program: that it
// was compiled as if its source had been edited, and for which findings.
//
// It owns the note's section, owner, type and text (analyzer/whatif/marker.h
// writes them). It takes the path of an ELF file and gives a Mark. It must never
// import another package of this module.
package mark

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// Mark is what the note in a program says: that it is counterfactual, of which
// kind, and for which findings.
type Mark struct {
	Placebo  bool
	Findings []string
}

const (
	noteSection = ".note.whyhot"
	noteOwner   = "whyhot\x00"
	noteType    = 0x5749
	noteHeader  = 12
	noteAlign   = 4
	maxNotes    = 1 << 24
)

// Read looks for the note in an ELF file. ok is false in an ordinary program
// and in a file that is no program.
func Read(path string) (m Mark, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Mark{}, false, err
	}
	defer f.Close() //nolint:errcheck // only read
	e, err := elf.NewFile(f)
	if err != nil { // not a program, or one that is cut off
		return Mark{}, false, nil
	}
	for _, data := range notesOf(e) {
		if m, ok = findNote(data, e.ByteOrder); ok {
			return m, true, nil
		}
	}
	return Mark{}, false, nil
}

// notesOf reads the section where there is one, else the segments that a file
// without sections keeps.
func notesOf(e *elf.File) [][]byte {
	if s := e.Section(noteSection); s != nil && s.FileSize <= maxNotes {
		if data, err := s.Data(); err == nil {
			return [][]byte{data}
		}
	}
	var out [][]byte
	for _, p := range e.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > maxNotes {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err == nil {
			out = append(out, data)
		}
	}
	return out
}

// findNote walks over notes and stops at what does not look like one.
func findNote(data []byte, order binary.ByteOrder) (Mark, bool) {
	align := func(n uint32) uint64 { return (uint64(n) + noteAlign - 1) &^ (noteAlign - 1) }
	for len(data) >= noteHeader {
		nameSize, descSize := order.Uint32(data), order.Uint32(data[4:])
		kind := order.Uint32(data[8:])
		name, desc := align(nameSize), align(descSize)
		if uint64(len(data)) < noteHeader+name+uint64(descSize) {
			return Mark{}, false
		}
		owner := string(data[noteHeader:][:nameSize])
		text := string(data[noteHeader+name:][:descSize])
		if owner == noteOwner && kind == noteType {
			return parseMark(text), true
		}
		data = data[min(uint64(len(data)), noteHeader+name+desc):]
	}
	return Mark{}, false
}

func parseMark(text string) Mark {
	world, findings, _ := strings.Cut(strings.TrimRight(text, "\x00"), " ")
	m := Mark{Placebo: world == "placebo"}
	if findings != "" {
		m.Findings = strings.Split(findings, ",")
	}
	return m
}

// String is the note as a sentence about the program.
func (m Mark) String() string {
	if m.Placebo {
		return "counterfactual: the placebo of a what-if build, compiled for measuring only"
	}
	return fmt.Sprintf("counterfactual: compiled as if the source had been edited for %s; for measuring only, it may compute something else than its source says",
		strings.Join(m.Findings, ", "))
}
