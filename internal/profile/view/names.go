package view

import (
	"path"
	"strings"

	"whyhot/internal/profile"
)

// Name is what to call a function: its name, or for unnamed code the binary in
// brackets, or "[unknown]".
func Name(p *profile.Profile, id profile.FunctionID) string {
	f := p.Function(id)
	return nameOf(f, p.Mapping(f.Mapping))
}

func nameOf(f *profile.Function, m *profile.Mapping) string {
	if f.Name != "" {
		return f.Name
	}
	return "[" + strings.Trim(libraryOf(f, m), "[]") + "]"
}

// Library names the binary of a function without its directories. Code that no
// mapping is known for goes by its kind: "[python]", "[kernel]", "[unknown]".
func Library(p *profile.Profile, id profile.FunctionID) string {
	f := p.Function(id)
	return libraryOf(f, p.Mapping(f.Mapping))
}

func libraryOf(f *profile.Function, m *profile.Mapping) string {
	if m.Path != "" {
		return base(m.Path)
	}
	return "[" + f.Kind.String() + "]"
}

// base is path.Base but leaves "[kernel.kallsyms]" and "//anon" as they are.
func base(file string) string {
	if strings.HasPrefix(file, "//") || strings.HasPrefix(file, "[") {
		return file
	}
	return path.Base(file)
}

// Unnamed is the value of the samples whose innermost frame has no name.
func Unnamed(p *profile.Profile) int64 {
	var sum int64
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if p.Function(leafFunction(p, p.Stack(s.Stack))).Name == "" {
			sum += s.Value
		}
	}
	return sum
}
