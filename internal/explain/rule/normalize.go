package rule

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// frame is a function as patterns see it: one spelling, whatever tool wrote the
// profile.
type frame struct {
	name string // "" when not known
	file string
	lib  string // base name of the mapping, "" when not known
	kind profile.Kind
}

// javaName is a class in the JVM's own spelling, with a method behind it:
// "java/util/HashMap.getNode", "Ljava/util/HashMap;::getNode".
var javaName = regexp.MustCompile(`^L?((?:[\w$]+/)+[\w$]+);?(?:::|\.)([\w$<>]+)`)

// javaMethod is a method as the JVM's tables and the eBPF sampler write it, with the
// type that it returns and its parameters: "int java.lang.String.indexOf(int, int)".
var javaMethod = regexp.MustCompile(`^(?:[\w$.]+(?:\[\])* )?([^\s()]+)\([^()]*\)$`)

// cloneMarks are the suffixes that compilers put behind the name of a copy.
var cloneMarks = []string{
	" [clone ", ".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm.", ".localalias",
}

func normalize(fn *profile.Function, m *profile.Mapping) frame {
	f := frame{name: fn.Name, file: fn.File, lib: baseName(m.Path), kind: fn.Kind}
	if f.kind == profile.KindJIT {
		if p, ok := codename.JIT(f.name); ok {
			f.name, f.kind = p.Name, p.Kind
			if p.File != "" {
				f.file = p.File
			}
		}
	}
	switch f.kind {
	case profile.KindPython, profile.KindGo, profile.KindRuby, profile.KindPHP, profile.KindPerl, profile.KindJS, profile.KindLua, profile.KindR:
		// their names are written in one way
	case profile.KindJava:
		if j := javaName.FindStringSubmatch(f.name); j != nil {
			f.name = strings.ReplaceAll(j[1], "/", ".") + "." + j[2]
		} else if j := javaMethod.FindStringSubmatch(f.name); j != nil {
			f.name = j[1]
		}
	case profile.KindDotNet:
		f.name = strings.ReplaceAll(f.name, "::", ".")
	case profile.KindUnknown, profile.KindNative, profile.KindKernel, profile.KindVDSO, profile.KindJIT:
		f.name = withoutReturnType(plainSymbol(f.name))
	}
	return f
}

// withoutReturnType takes the return type off a demangled template function
// ("void std::sort<int*>", "bool ns::f<T>(T) const"); tools differ on whether
// they print it.
func withoutReturnType(name string) string {
	if !strings.Contains(name, "::") || !strings.Contains(name, " ") || strings.Contains(name, "operator") {
		return name
	}
	depth, start := 0, 0
	for i, r := range name {
		switch r {
		case '<', '[', '{':
			depth++
		case '>':
			if i == 0 || name[i-1] != '-' { // "->" closes nothing
				depth--
			}
		case ']', '}':
			depth--
		case '(':
			if depth == 0 && i > start && name[i-1] != ' ' {
				return name[start:] // the parameters: what follows is no return type
			}
			depth++
		case ')':
			depth--
		case ' ':
			if depth == 0 && i+1 < len(name) {
				start = i + 1
			}
		}
	}
	return name[start:]
}

// plainSymbol strips symbol versions, clone marks, glibc's internal prefix and
// Rust's hash.
func plainSymbol(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 && !strings.ContainsAny(name[:i], " (/") {
		rest := strings.TrimLeft(name[i:], "@")
		if rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			name = name[:i]
		}
	}
	for _, mark := range cloneMarks {
		if i := strings.Index(name, mark); i > 0 {
			name = name[:i]
		}
	}
	return stripRustHash(strings.TrimPrefix(name, "__GI_"))
}

// stripRustHash removes the "::h" and 16 hex digits that end a legacy Rust
// symbol.
func stripRustHash(name string) string {
	const length = len("::h") + 16
	at := len(name) - length
	if at <= 0 || name[at:at+3] != "::h" || strings.Trim(name[at+3:], "0123456789abcdef") != "" {
		return name
	}
	return name[:at]
}

func baseName(path string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	return path[strings.LastIndexByte(path, '/')+1:]
}
