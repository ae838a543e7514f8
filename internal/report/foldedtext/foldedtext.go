// Package foldedtext writes a profile as folded stacks, the text that
// FlameGraph, speedscope and others read: one line for each distinct stack,
// outermost frame first, frames separated by semicolons, the weight last.
//
// It owns that text. Of this module it imports internal/profile and
// internal/profile/view only.
package foldedtext

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// Options say what a frame shows.
type Options struct {
	// Binaries marks each frame with the binary it is in, "name_[libc.so.6]",
	// as perf's folded stacks do; whyhot reads the marks back.
	Binaries bool
	// RootLabel begins each stack with the value of this label, for example
	// profile.LabelProcess; "" begins with the outermost function.
	RootLabel string
}

// Write writes p. Weights are numbers of samples where every sample of p weighs
// the same, else values in the profile's unit. Stacks that weigh nothing are
// left out. Lines come in the order in which the profile has their stacks.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	f := newFolder(p, opt)
	roots := make([]textID, p.NumLabelSets())
	for i := range p.Samples() {
		s := &p.Samples()[i]
		root := &roots[s.Labels]
		if *root == 0 && opt.RootLabel != "" {
			*root = f.root(s.Labels)
		}
		f.add(*root, s)
	}
	unit := perSample(p)
	out := bufio.NewWriterSize(w, 1<<16)
	var number []byte
	for i := range f.stacks {
		value := f.stacks[i].value
		if value == 0 {
			continue
		}
		skip := 1 // the first semicolon
		for b := f.frames(i); len(b) > 0; b = b[textBytes:] {
			_, _ = out.WriteString(f.texts[binary.LittleEndian.Uint32(b)][skip:]) // Flush returns the first error
			skip = 0
		}
		number = strconv.AppendInt(append(number[:0], ' '), value/unit, 10)
		_, _ = out.Write(append(number, '\n'))
	}
	return out.Flush()
}

// textID is the number of a frame's text, from 1.
type textID uint32

const textBytes = 4 // of a textID

// folder merges stacks that read the same. No text of a frame has a semicolon but the
// one in front, so that stacks read the same when their frames do one by one: numbers
// of texts are compared, a tenth of what the texts are.
type folder struct {
	p         *profile.Profile
	opt       Options
	locations [][]byte // the bytes of textIDs, outermost first
	functions []textID // by function, 0 where it has none yet
	numbers   map[string]textID
	texts     []string // with a semicolon in front, by number
	line      []byte   // of the sample that is added
	lines     []byte   // of all stacks
	stacks    []stack
	first     map[uint64]int // by hash: the index of a stack and one more
	seed      maphash.Seed
}

// stack is one line of the output.
type stack struct {
	end   int // in lines
	value int64
	next  int // of the same hash: index and one more
}

// newFolder sets aside what the stacks take when each location is one function, and none
// read the same: memory that grows is copied, and touched once more each time.
func newFolder(p *profile.Profile, opt Options) *folder {
	samples, frames := p.Samples(), 0
	for i := range samples {
		frames += 1 + max(1, len(p.Stack(samples[i].Stack)))
	}
	return &folder{
		p: p, opt: opt, locations: make([][]byte, p.NumLocations()), functions: make([]textID, p.NumFunctions()),
		numbers: map[string]textID{}, texts: make([]string, 1), lines: make([]byte, 0, frames*textBytes),
		stacks: make([]stack, 0, len(samples)), first: make(map[uint64]int, len(samples)), seed: maphash.MakeSeed(),
	}
}

// add adds one sample; root is 0 for none.
func (f *folder) add(root textID, s *profile.Sample) {
	f.line = f.line[:0]
	if root != 0 {
		f.line = binary.LittleEndian.AppendUint32(f.line, uint32(root))
	}
	frames := f.p.Stack(s.Stack)
	for _, id := range slices.Backward(frames) {
		if f.locations[id] == nil {
			f.locations[id] = f.location(id)
		}
		f.line = append(f.line, f.locations[id]...)
	}
	if len(frames) == 0 {
		f.line = binary.LittleEndian.AppendUint32(f.line, uint32(f.function(0)))
	}
	hash := maphash.Bytes(f.seed, f.line)
	for i := f.first[hash]; i > 0; i = f.stacks[i-1].next {
		if bytes.Equal(f.frames(i-1), f.line) {
			f.stacks[i-1].value += s.Value
			return
		}
	}
	f.lines = append(f.lines, f.line...)
	f.stacks = append(f.stacks, stack{len(f.lines), s.Value, f.first[hash]})
	f.first[hash] = len(f.stacks)
}

// frames gives the textIDs of a line.
func (f *folder) frames(i int) []byte {
	start := 0
	if i > 0 {
		start = f.stacks[i-1].end
	}
	return f.lines[start:f.stacks[i].end]
}

// number is that of a text without the semicolon in front.
func (f *folder) number(text string) textID {
	id, known := f.numbers[text]
	if !known {
		id = textID(len(f.texts))
		f.texts = append(f.texts, ";"+text)
		f.numbers[text] = id
	}
	return id
}

// root is what the stacks of a label set begin with.
func (f *folder) root(labels profile.LabelSetID) textID {
	text := view.LabelText(f.p, labels, f.opt.RootLabel)
	if text == "" {
		text = "(no " + f.opt.RootLabel + ")"
	}
	return f.number(clean(text))
}

func (f *folder) location(id profile.LocationID) []byte {
	lines := f.p.Lines(id)
	out := make([]byte, 0, textBytes*len(lines))
	for _, l := range slices.Backward(lines) {
		out = binary.LittleEndian.AppendUint32(out, uint32(f.function(l.Function)))
	}
	return out
}

func (f *folder) function(id profile.FunctionID) textID {
	number := &f.functions[id]
	if *number == 0 {
		*number = f.number(frame(f.p, id, f.opt))
	}
	return *number
}

// perSample is what each sample of p weighs, 1 where they differ.
func perSample(p *profile.Profile) int64 {
	if p.Count() <= 0 || p.Total() <= 0 {
		return 1
	}
	unit := p.Total() / p.Count()
	for i := range p.Samples() {
		if s := &p.Samples()[i]; unit == 0 || s.Value != s.Count*unit {
			return 1
		}
	}
	return unit
}

func frame(p *profile.Profile, id profile.FunctionID, opt Options) string {
	f := p.Function(id)
	name, binary := f.Name, p.Mapping(f.Mapping).Path
	switch {
	case !opt.Binaries || binary == "":
		return clean(view.Name(p, id))
	case name == "":
		name = "[unknown]"
	}
	mark := strings.Trim(view.Library(p, id), "[]")
	if f.Kind == profile.KindKernel {
		mark = "k"
	}
	return clean(name) + "_[" + clean(mark) + "]"
}

// clean keeps a name from being taken for two frames or two lines.
func clean(s string) string {
	if !strings.ContainsAny(s, ";\n\r") {
		return s
	}
	return strings.NewReplacer(";", ":", "\n", " ", "\r", " ").Replace(s)
}
