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
	if f.Name != "" {
		return f.Name
	}
	lib := Library(p, id)
	return "[" + strings.Trim(lib, "[]") + "]"
}

// Library names the binary of a function without its directories. Code that no
// mapping is known for goes by its kind: "[python]", "[kernel]", "[unknown]".
func Library(p *profile.Profile, id profile.FunctionID) string {
	f := p.Function(id)
	if m := p.Mapping(f.Mapping).Path; m != "" {
		return base(m)
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
