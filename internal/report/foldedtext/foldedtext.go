// Package foldedtext writes a profile as folded stacks, the text that
// FlameGraph, speedscope and others read: one line for each distinct stack,
// outermost frame first, frames separated by semicolons, the weight last.
//
// It owns that text. Of this module it imports internal/profile and
// internal/profile/view only.
package foldedtext

import (
	"bufio"
	"encoding/binary"
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
	for i, value := range f.values {
		if value == 0 {
			continue
		}
		for k, id := range f.stack(i) {
			text := f.texts[id]
			if k == 0 {
				text = text[1:]
			}
			_, _ = out.WriteString(text) // Flush returns the first error
		}
		number = strconv.AppendInt(append(number[:0], ' '), value/unit, 10)
		_, _ = out.Write(append(number, '\n'))
	}
	return out.Flush()
}

// textID is the number of a frame's text, from 1.
type textID uint32

// folder merges stacks that read the same. No text of a frame has a semicolon but the
// one in front, so that stacks read the same when their frames do one by one: numbers
// of texts are compared, a tenth of what the texts are.
type folder struct {
	p         *profile.Profile
	opt       Options
	locations [][]textID // outermost first
	functions map[profile.FunctionID]textID
	numbers   map[string]textID
	texts     []string // with a semicolon in front, by number
	line      []textID
	key       []byte
	at        map[string]int // the bytes of a stack's numbers → index of
	frames    []textID       // of all stacks
	ends      []int          // of each of them
	values    []int64
}

func newFolder(p *profile.Profile, opt Options) *folder {
	return &folder{
		p: p, opt: opt, locations: make([][]textID, p.NumLocations()), functions: map[profile.FunctionID]textID{},
		numbers: map[string]textID{}, texts: make([]string, 1), at: map[string]int{},
	}
}

// add adds one sample; root is 0 for none.
func (f *folder) add(root textID, s *profile.Sample) {
	f.line = f.line[:0]
	if root != 0 {
		f.line = append(f.line, root)
	}
	stack := f.p.Stack(s.Stack)
	for _, id := range slices.Backward(stack) {
		if f.locations[id] == nil {
			f.locations[id] = f.location(id)
		}
		f.line = append(f.line, f.locations[id]...)
	}
	if len(stack) == 0 {
		f.line = append(f.line, f.function(0))
	}
	f.key = f.key[:0]
	for _, id := range f.line {
		f.key = binary.LittleEndian.AppendUint32(f.key, uint32(id))
	}
	i, seen := f.at[string(f.key)]
	if !seen {
		i = len(f.ends)
		f.at[string(f.key)] = i
		f.frames = append(f.frames, f.line...)
		f.ends = append(f.ends, len(f.frames))
		f.values = append(f.values, 0)
	}
	f.values[i] += s.Value
}

// stack gives the frames of a line.
func (f *folder) stack(i int) []textID {
	start := 0
	if i > 0 {
		start = f.ends[i-1]
	}
	return f.frames[start:f.ends[i]]
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

func (f *folder) location(id profile.LocationID) []textID {
	lines := f.p.Lines(id)
	out := make([]textID, 0, len(lines))
	for _, l := range slices.Backward(lines) {
		out = append(out, f.function(l.Function))
	}
	return out
}

func (f *folder) function(id profile.FunctionID) textID {
	number, ok := f.functions[id]
	if !ok {
		number = f.number(frame(f.p, id, f.opt))
		f.functions[id] = number
	}
	return number
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
