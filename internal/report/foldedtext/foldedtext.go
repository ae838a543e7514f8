// Package foldedtext writes a profile as folded stacks, the text that
// FlameGraph, speedscope and others read: one line for each distinct stack,
// outermost frame first, frames separated by semicolons, the weight last.
//
// It owns that text. Of this module it imports internal/profile and
// internal/profile/view only.
package foldedtext

import (
	"bufio"
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
	f := folder{p: p, opt: opt, locations: make([]string, p.NumLocations()), functions: map[profile.FunctionID]string{}, at: map[string]int{}}
	roots := make([]string, p.NumLabelSets())
	for i := range p.Samples() {
		s := &p.Samples()[i]
		root := &roots[s.Labels]
		if *root == "" && opt.RootLabel != "" {
			*root = f.root(s.Labels)
		}
		f.add(*root, s)
	}
	unit := perSample(p)
	out := bufio.NewWriterSize(w, 1<<16)
	for i, text := range f.texts {
		if f.values[i] == 0 {
			continue
		}
		_, _ = out.WriteString(text) // Flush returns the first error
		_, _ = out.WriteString(" " + strconv.FormatInt(f.values[i]/unit, 10) + "\n")
	}
	return out.Flush()
}

// folder merges stacks that read the same.
type folder struct {
	p         *profile.Profile
	opt       Options
	locations []string // outermost first, each frame with a semicolon in front
	functions map[profile.FunctionID]string
	line      []byte
	at        map[string]int // text → index of
	texts     []string
	values    []int64
}

// add adds one sample.
func (f *folder) add(root string, s *profile.Sample) {
	f.line = append(f.line[:0], root...)
	stack := f.p.Stack(s.Stack)
	for _, id := range slices.Backward(stack) {
		if f.locations[id] == "" {
			f.locations[id] = f.location(id)
		}
		f.line = append(f.line, f.locations[id]...)
	}
	if len(stack) == 0 {
		f.line = append(f.line, f.function(0)...)
	}
	text := f.line[1:]
	i, seen := f.at[string(text)]
	if !seen {
		i = len(f.texts)
		f.texts = append(f.texts, string(text))
		f.values = append(f.values, 0)
		f.at[f.texts[i]] = i
	}
	f.values[i] += s.Value
}

// root is the text that the stacks of a label set begin with.
func (f *folder) root(labels profile.LabelSetID) string {
	text := view.LabelText(f.p, labels, f.opt.RootLabel)
	if text == "" {
		text = "(no " + f.opt.RootLabel + ")"
	}
	return ";" + clean(text)
}

func (f *folder) location(id profile.LocationID) string {
	lines := f.p.Lines(id)
	if len(lines) == 1 {
		return f.function(lines[0].Function)
	}
	var text strings.Builder
	for _, l := range slices.Backward(lines) {
		text.WriteString(f.function(l.Function))
	}
	return text.String()
}

// function is a frame, with a semicolon in front.
func (f *folder) function(id profile.FunctionID) string {
	text, ok := f.functions[id]
	if !ok {
		text = ";" + frame(f.p, id, f.opt)
		f.functions[id] = text
	}
	return text
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
