// Package origin says whose code a function is: the user's own, a library's, a
// language runtime's or the kernel's. Flame graphs are coloured by it.
//
// It owns the rules that decide and the palette that both the page (web/) and
// the SVG use. It takes a function of a profile and gives an Origin; what
// nothing tells stays Unknown. It must never import a report.
package origin

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// Origin is whose code a function is. The numbers are indices in palette.json
// and part of the page's wire form.
type Origin uint8

// The origins. Group is no code: a process or thread in a tree.
const (
	Unknown Origin = iota
	Own
	Library
	Runtime
	Kernel
	Group
)

var (
	sharedObject = regexp.MustCompile(`\.so(\.|$)|\.dylib$|\.dll$`)
	// interpreters are programs whose own machine code is a language's runtime.
	interpreters = regexp.MustCompile(`^(node|nodejs|bun|deno|java|dotnet|mono(-sgen)?|php[0-9.]*|php-fpm[0-9.]*|perl[0-9.]*|ruby[0-9.]*|python[0-9.]*[a-z]*|pypy[0-9.]*|lua(jit)?[0-9.]*|R|Rscript|beam\.smp|guile[-0-9.]*|tclsh[0-9.]*|wish[0-9.]*|swipl|racket|sbcl|octave-cli[-0-9.]*|(ba|da|z|k|mk|a)?sh|busybox)$`)
	// runtimeLibraries are interpreters that come as a shared object.
	runtimeLibraries = regexp.MustCompile(`^lib(jvm|java|jli|python[0-9.]*|ruby[-0-9.]*|node|v8[_a-z]*|perl|php[0-9.]*|coreclr|clrjit|mono[-a-z0-9.]*|lua[-0-9.]*|luajit[-0-9.]*|guile[-0-9.]*|R|tcl[0-9.]*|swipl|octinterp)\.so`)
	// installedLibrary is where systems, languages and their package managers put shared libraries.
	installedLibrary = regexp.MustCompile(`^/(usr/)?(local/)?lib(32|64|x32|exec)?/|^/(snap|opt|nix|gnu)/|/R/[^/]*-library/|/\.?luarocks/|/\w+\.libs/`)
	// compiledIn are sources that are not the user's although their code is in the user's
	// binary, beside those that are packaged: headers, Go's library, copies in the tree.
	compiledIn = regexp.MustCompile(`^/usr/(include|lib|src)/|/rustlib/|@v\d+\.\d+\.\d+[^/]*/|/usr/local/go/src/|/third_party/`)
	// standardNames are name spaces of standard libraries.
	standardNames = regexp.MustCompile(`^(<?(std|core|alloc)::|__gnu_cxx::|__cxxabiv1::|<(alloc|core|std)::)`)
	// packaged are the folders in which languages and their package managers keep sources, by
	// their names alone or at the beginning of a path; in versioned, a part of them varies.
	packaged = []string{
		"node_modules/", "site-packages/", "dist-packages/", "/gems/", "/lib/ruby/", "/vendor/", "/share/perl", "/lib/perl5/", "/perl-base/",
		"/usr/share/php/", "/usr/share/lua/", "/.cargo/registry/", "/.cargo/git/", "/pkg/mod/",
		"/.conan/", "/.conan2/", "/vcpkg/", "/_deps/", "/.linuxbrew/",
	}
	packagedAt = []string{"<frozen ", "node:", "/rustc/", "/rust/deps/"}
	versioned  = regexp.MustCompile(`(^|/)lib(64)?/python[0-9.]+/|/perl5/[0-9.]+/|/lib/[^/]+/(perl|ruby)/`)
	// versionedHas is what each of these has: an expression takes a hundred times as long.
	versionedHas = []string{"/python", "/perl5/", "/perl/", "/ruby/"}
	// engineCode are names that V8 gives its own generated code in a perf map.
	engineCode = regexp.MustCompile(`^(Builtin|Stub|Handler|BytecodeHandler|RegExp|CodeStub|Script|Interpreter|LoadIC|StoreIC):?`)
	// generatedGlue are what Mono and Erlang call code that they generate for themselves.
	generatedGlue  = regexp.MustCompile(`^\(wrapper |^\(null\)$|^(\w+_)*trampoline(_\w+)?$|^(restore_context|call_filter|(re)?throw_\w+|sdb_\w+)$|^global::|^erts_\w+:`)
	javaPlatform   = regexp.MustCompile(`^L?(java|javax|jdk|sun|com/sun|com\.sun)[./]`)
	dotNetPlatform = regexp.MustCompile(`^(System|Microsoft)\.`)
	goRuntime      = regexp.MustCompile(`^(runtime|internal/runtime|gogo|gcWriteBarrier)[./]`)
	goMain         = regexp.MustCompile(`^main\.`)
)

// Of says whose code function id of p is.
func Of(p *profile.Profile, id profile.FunctionID) Origin {
	f := p.Function(id)
	return OfFunction(f, p.Mapping(f.Mapping).Path)
}

// OfFunction is Of for a function whose profile is not at hand. Binary is the path of
// what it lies in, "" where that is not known.
func OfFunction(f *profile.Function, binary string) Origin {
	switch f.Kind {
	case profile.KindKernel, profile.KindVDSO:
		return Kernel
	case profile.KindPython, profile.KindJS, profile.KindRuby, profile.KindPHP, profile.KindPerl, profile.KindLua, profile.KindR:
		return interpreted(f)
	case profile.KindDotNet:
		if dotNetPlatform.MatchString(f.Name) {
			return Library
		}
		return interpreted(f)
	case profile.KindJava:
		if javaPlatform.MatchString(javaMethod(f.Name)) {
			return Library
		}
		return interpreted(f)
	case profile.KindGo:
		return golang(f)
	case profile.KindJIT:
		return compiledAtRunTime(f)
	case profile.KindNative, profile.KindUnknown:
	}
	return native(f, binary)
}

// IsPackaged says whether a source file lies where a language or a package manager keeps
// what it brings. It is asked of each function of a profile.
func IsPackaged(file string) bool {
	has := func(part string) bool { return strings.Contains(file, part) }
	return slices.ContainsFunc(packaged, has) ||
		slices.ContainsFunc(packagedAt, func(begin string) bool { return strings.HasPrefix(file, begin) }) ||
		slices.ContainsFunc(versionedHas, has) && versioned.MatchString(file)
}

func isCompiledIn(file string) bool { return IsPackaged(file) || compiledIn.MatchString(file) }

func interpreted(f *profile.Function) Origin {
	switch {
	case f.Name == "" && f.File == "":
		return Unknown
	case IsPackaged(f.File):
		return Library
	case f.File == "" && (strings.HasPrefix(f.Name, "(") || isEngineFrame(f.Name)): // V8's (garbage collector), (program), …
		return Runtime
	}
	return Own
}

// isEngineFrame tells what a recording has where V8 itself runs: V8::EntryFrame.
func isEngineFrame(name string) bool {
	return strings.HasPrefix(name, "V8::") && strings.HasSuffix(name, "Frame")
}

func compiledAtRunTime(f *profile.Function) Origin {
	switch {
	case f.Name == "" || engineCode.MatchString(f.Name) || generatedGlue.MatchString(f.Name):
		return Runtime
	case IsPackaged(f.Name), IsPackaged(f.File), javaPlatform.MatchString(f.Name):
		return Library
	}
	return Own
}

// javaMethod is a method without its type and arguments, which a JVM puts around it: of
// "java.lang.String Report.render(int)", Report.render.
func javaMethod(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// golang tells by the import path, which every Go symbol carries: a standard
// package has no dot in its first element.
func golang(f *profile.Function) Origin {
	switch {
	case goRuntime.MatchString(f.Name), !strings.Contains(f.Name, ".") && strings.HasSuffix(f.File, ".s"): // memeqbody: assembly of Go's own
		return Runtime
	case goMain.MatchString(f.Name):
		return Own
	case isCompiledIn(f.File):
		return Library
	}
	first, _, nested := strings.Cut(f.Name, "/")
	if !nested {
		first, _, _ = strings.Cut(f.Name, ".")
	}
	if goStandard[first] {
		return Library
	}
	return Own
}

// goStandard are the first path elements of Go's standard library.
var goStandard = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmp": true, "compress": true, "container": true,
	"context": true, "crypto": true, "database": true, "debug": true, "embed": true, "encoding": true,
	"errors": true, "expvar": true, "flag": true, "fmt": true, "go": true, "hash": true, "html": true,
	"image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true, "maps": true,
	"math": true, "mime": true, "net": true, "os": true, "path": true, "plugin": true, "reflect": true,
	"regexp": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true,
	"syscall": true, "testing": true, "text": true, "time": true, "unicode": true, "unique": true,
	"unsafe": true, "vendor": true,
}

// IsRuntime says whether a binary is a language's runtime: an interpreter or a virtual
// machine, as a program or as a shared object.
func IsRuntime(binary string) bool {
	base := path.Base(binary)
	return runtimeLibraries.MatchString(base) || interpreters.MatchString(base)
}

func native(f *profile.Function, mapping string) Origin {
	binary := path.Base(mapping)
	switch {
	case mapping == "" || strings.HasPrefix(mapping, "[") || strings.HasPrefix(mapping, "//"):
		return Unknown
	case IsRuntime(mapping):
		return Runtime
	case sharedObject.MatchString(binary) && (!path.IsAbs(f.File) || !path.IsAbs(mapping) || installedLibrary.MatchString(mapping) || IsPackaged(mapping)):
		return Library // of others: one that is built beside the program has its sources, in a place of its own
	case isCompiledIn(f.File), standardNames.MatchString(f.Name):
		return Library
	}
	return Own
}
