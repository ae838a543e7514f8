// Package foldedtext writes a profile as folded stacks, the text that
// FlameGraph, speedscope and others read: one line for each distinct stack,
// outermost frame first, frames separated by semicolons, the weight last.
//
// It owns that text. Of this module it imports internal/profile and
// internal/view only.
package foldedtext

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/view"
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
// left out.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	tree := view.BuildTree(p, view.TreeOptions{RootLabel: opt.RootLabel})
	unit := perSample(p)
	names := map[profile.FunctionID]string{}
	out := bufio.NewWriter(w)
	var path []string
	for _, n := range tree.Nodes[1:] {
		path = path[:n.Depth-1]
		name := clean(n.Label)
		if n.Label == "" {
			var ok bool
			if name, ok = names[n.Function]; !ok {
				name = frame(p, n.Function, opt)
				names[n.Function] = name
			}
		}
		path = append(path, name)
		if n.Self == 0 {
			continue
		}
		for i, f := range path {
			if i > 0 {
				_ = out.WriteByte(';') // Flush returns the first error
			}
			_, _ = out.WriteString(f)
		}
		_, _ = out.WriteString(" " + strconv.FormatInt(n.Self/unit, 10) + "\n")
	}
	return out.Flush()
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
