// Package codename knows how the names of code are written: which language a
// function, a file or a mapping belongs to, and what a mangled or JIT-made
// symbol means to a person.
//
// It takes names as profilers, runtimes and symbol tables spell them and gives
// display names, source positions and a profile.Kind. It owns no file format
// and reads nothing; of this module it may import internal/profile only.
package codename

import (
	"path"
	"regexp"
	"strings"

	"whyhot/internal/profile"
)

var kindByExt = map[string]profile.Kind{
	".py": profile.KindPython, ".pyx": profile.KindPython, ".pyw": profile.KindPython, ".pyc": profile.KindPython,
	".js": profile.KindJS, ".mjs": profile.KindJS, ".cjs": profile.KindJS, ".jsx": profile.KindJS,
	".ts": profile.KindJS, ".mts": profile.KindJS, ".cts": profile.KindJS, ".tsx": profile.KindJS,
	".vue": profile.KindJS, ".svelte": profile.KindJS,
	".go": profile.KindGo,
	".rb": profile.KindRuby, ".rake": profile.KindRuby, ".erb": profile.KindRuby, ".gemspec": profile.KindRuby,
	".php": profile.KindPHP, ".phtml": profile.KindPHP, ".phar": profile.KindPHP,
	".pl": profile.KindPerl, ".pm": profile.KindPerl,
	".lua": profile.KindLua, ".r": profile.KindR,
	".java": profile.KindJava, ".kt": profile.KindJava, ".scala": profile.KindJava, ".groovy": profile.KindJava,
	".clj": profile.KindJava, ".jar": profile.KindJava, ".jsa": profile.KindJava,
	".cs": profile.KindDotNet, ".fs": profile.KindDotNet, ".vb": profile.KindDotNet, ".dll": profile.KindDotNet,
	".c": profile.KindNative, ".cc": profile.KindNative, ".cpp": profile.KindNative, ".cxx": profile.KindNative,
	".h": profile.KindNative, ".hh": profile.KindNative, ".hpp": profile.KindNative, ".hxx": profile.KindNative,
	".inl": profile.KindNative, ".ipp": profile.KindNative, ".tcc": profile.KindNative, ".c++": profile.KindNative,
	".rs": profile.KindNative, ".zig": profile.KindNative, ".s": profile.KindNative, ".asm": profile.KindNative,
	".d": profile.KindNative, ".f": profile.KindNative, ".f90": profile.KindNative, ".hs": profile.KindNative,
	".m": profile.KindNative, ".mm": profile.KindNative, ".swift": profile.KindNative, ".nim": profile.KindNative,
}

// OfFile is the kind of code in a source file, from its name alone;
// KindUnknown when the name does not tell.
func OfFile(file string) profile.Kind {
	switch {
	case file == "":
		return profile.KindUnknown
	case strings.HasPrefix(file, "node:"), strings.HasPrefix(file, "ext:"), strings.HasPrefix(file, "webpack"):
		return profile.KindJS
	case strings.HasPrefix(file, "<frozen "), strings.HasPrefix(file, "<ipython-"), file == "<string>", file == "<stdin>":
		return profile.KindPython
	case strings.HasPrefix(file, "<internal:"):
		return profile.KindRuby
	}
	// URLs of scripts may carry a query.
	if i := strings.IndexByte(file, '?'); i > 0 && strings.Contains(file[:i], "://") {
		file = file[:i]
	}
	return kindByExt[strings.ToLower(path.Ext(file))]
}

var (
	anonMapping = regexp.MustCompile(`^(\[anon.*\]|\[jit\]|\[heap\]|\[stack.*\]|//anon.*|anon(_inode:.*)?|/memfd:.*|/dev/zero.*|/SYSV.*)( \(deleted\))?$|(^|/)perf-\d+\.map$|(^|/)jitted-\d+-\d+\.so$`)
	vdsoMapping = regexp.MustCompile(`^\[v(dso|dso32|dsox32|syscall)\]$|(^|/)linux-(vdso|vdso64|gate)\.so(\.\d+)?$|^vdso$`)
	kernMapping = regexp.MustCompile(`^\[(guest\.)?kernel[^\]]*\]|^\[k\]|^\[bpf.*\]$|^bpf_prog_|\.ko(\.(xz|gz|zst))?$|(^|/)vmlinu[xz][^/]*$|^kernel$|^\[[a-z0-9_-]+\]$`)
	noMapping   = regexp.MustCompile(`^\[(unknown|uprobes|vectors|vvar|sigpage)\]$|^\?*$`)
)

// OfMapping is the kind of machine code that a mapping holds, from its path as
// the kernel or the profiler wrote it.
func OfMapping(p string) profile.Kind {
	switch {
	case noMapping.MatchString(p):
		return profile.KindUnknown
	case vdsoMapping.MatchString(p):
		return profile.KindVDSO
	case anonMapping.MatchString(p):
		return profile.KindJIT
	case kernMapping.MatchString(p):
		return profile.KindKernel
	case monoImage.MatchString(p):
		return profile.KindDotNet
	}
	if k := OfFile(p); k != profile.KindUnknown {
		return k
	}
	return profile.KindNative
}

// Of is the kind of a function from all that is known of it. Any argument may
// be empty.
func Of(name, file, mapping string) profile.Kind { return OfIn(name, file, OfMapping(mapping)) }

// OfIn is Of where the kind of the mapping is known, which costs more to find than the
// rest: a profile has few mappings and many functions.
func OfIn(name, file string, mk profile.Kind) profile.Kind {
	if mk == profile.KindKernel || mk == profile.KindVDSO {
		return mk
	}
	fk := OfFile(file)
	switch {
	case fk == profile.KindNative && isGo(name) && strings.HasSuffix(file, ".s"):
		return profile.KindGo
	case fk != profile.KindUnknown:
		return fk
	case mk == profile.KindJIT:
		if j, ok := JIT(name); ok {
			return j.Kind
		}
	}
	return ofName(name, mk)
}

// ofName falls back on the spelling of a name; only spellings that no other
// language shares count.
func ofName(name string, otherwise profile.Kind) profile.Kind {
	switch {
	case name == "":
		return otherwise
	case isGo(name):
		return profile.KindGo
	case isJava(name):
		return profile.KindJava
	case strings.IndexByte(name, '<') >= 0 && pythonName.MatchString(name):
		return profile.KindPython
	}
	return otherwise
}

// isJava and isGo look for a telling byte first: they run for every function of
// a profile, and most names are plain C.
func isJava(name string) bool {
	return strings.ContainsAny(name, "./;") && javaName.MatchString(name)
}

var (
	goHosted   = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/[^ :;]+\.[^ :;]`)
	goRuntime  = regexp.MustCompile(`^(runtime(/[a-z0-9/]+)?|internal/[a-z0-9/]+|reflect|syscall|net/http|encoding/[a-z0-9]+|compress/[a-z0-9]+|crypto/[a-z0-9/]+)\.[A-Za-z_(]`)
	goMain     = regexp.MustCompile(`^main\.(main|init)(\.func\d+)*(\.\d+)*$`)
	javaName   = regexp.MustCompile(`^[a-z][\w$]*(/[\w$]+)*/[A-Z][\w$+]*(\.|::)[\w$<>]+$|^L[\w$/]+;::|^(java|javax|jdk|sun|com\.sun|kotlin|scala|clojure|org\.apache|org\.springframework)\.[\w$.]*[A-Z][\w$]*(\.|::)[\w$<>]+`)
	pythonName = regexp.MustCompile(`^[\w.]*<(locals|module|listcomp|dictcomp|setcomp|genexpr)>`)
)

// isGo recognises names as the Go linker writes them: a package path, a dot,
// and an identifier or a receiver.
func isGo(name string) bool {
	if strings.IndexByte(name, '.') < 0 || strings.Contains(name, "::") || strings.Contains(name, " ") && !strings.Contains(name, "[") {
		return false
	}
	if strings.Contains(name, ".(*") {
		return true
	}
	if isJava(name) {
		return false
	}
	return goRuntime.MatchString(name) || goMain.MatchString(name) || goHosted.MatchString(name)
}
