package elfinfo

import (
	"debug/elf"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/allocator"
)

// Defines reports whether the binary has a function or variable of that name (as
// in the symbol table, without version). In a stripped file only exported names
// are known.
func (i *Info) Defines(name string) bool { return has(i.defined, name) }

// Imports reports whether the binary takes a name from another.
func (i *Info) Imports(name string) bool { return has(i.imported, name) }

func has(sorted []string, name string) bool {
	_, ok := slices.BinarySearch(sorted, name)
	return ok
}

// DefinesMatch returns the defined names that match, sorted.
func (i *Info) DefinesMatch(re *regexp.Regexp) []string { return matching(i.defined, re) }

// ImportsMatch returns the imported names that match, sorted.
func (i *Info) ImportsMatch(re *regexp.Regexp) []string { return matching(i.imported, re) }

func matching(sorted []string, re *regexp.Regexp) []string {
	if prefix := anchored(re); prefix != "" {
		from, _ := slices.BinarySearch(sorted, prefix)
		sorted = sorted[from:]
		to, _ := slices.BinarySearchFunc(sorted, prefix, func(name, prefix string) int {
			if strings.HasPrefix(name, prefix) {
				return -1
			}
			return strings.Compare(name, prefix)
		})
		sorted = sorted[:to]
	}
	var out []string
	for _, n := range sorted {
		if re.MatchString(n) {
			out = append(out, n)
		}
	}
	return out
}

// anchored is the text that every match begins with, at the start of the name: "^__asan_(init|x)"
// asks for "__asan_". A large program has a million names.
func anchored(re *regexp.Regexp) string {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || len(parsed.Sub) < 2 || parsed.Sub[0].Op != syntax.OpBeginText {
		return ""
	}
	if lit := parsed.Sub[1]; lit.Op == syntax.OpLiteral && lit.Flags&syntax.FoldCase == 0 {
		return string(lit.Rune)
	}
	return ""
}

// VersionString looks for text in the constants of the binary (such as
// "deflate 1.2.11 Copyright"): the first match of re, or of its first group if it
// has one. "" means that there is none. An expression that begins with plain text
// is searched for at the speed of memory, others some twenty times slower.
func (i *Info) VersionString(re *regexp.Regexp) string {
	f, err := elffile.Open(i.Path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	found := ""
	_ = elffile.Guard(i.Path, func() error {
		found = search(f, re)
		return nil
	})
	return found
}

// search runs re over the sections that hold constants. Strings may be in
// .data.rel.ro or .data too.
func search(f *elffile.File, re *regexp.Regexp) string {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_EXECINSTR != 0 ||
			s.Name == ".eh_frame" || s.Name == ".eh_frame_hdr" || s.Name == ".gcc_except_table" || s.Name == ".gopclntab" {
			continue
		}
		data, err := f.SectionData(s)
		if err != nil {
			continue
		}
		if m := re.FindSubmatch(data); m != nil {
			return string(m[min(1, len(m)-1)])
		}
	}
	return ""
}

// runtimeTexts are what the runtimes of languages with a code generator of their own hold,
// stripped or not: the environment variables that they read.
var runtimeTexts = map[string]*regexp.Regexp{
	"Haskell": regexp.MustCompile(`GHCRTS`),
	"OCaml":   regexp.MustCompile(`OCAMLRUNPARAM`),
}

// OtherCompiler is the language whose own compiler generated the code, "" for those of
// C, C++ and what else goes through gcc or LLVM: flags and advice for these do not hold
// there. The section .comment would say so too, but distributions strip it.
func (i *Info) OtherCompiler() string {
	if slices.ContainsFunc(i.Needed, func(so string) bool { return strings.HasPrefix(so, "libHS") }) {
		return "Haskell"
	}
	for language, text := range runtimeTexts {
		if i.VersionString(text) != "" {
			return language
		}
	}
	return ""
}

// Allocator is a memory allocator that is part of a binary.
type Allocator struct {
	Name    string // "jemalloc", "mimalloc", "tcmalloc", …
	Version string // "" when it does not tell
}

// Allocator tells which replacement allocator is in the binary, whether linked
// statically or because the binary is the allocator's library: by functions that
// only it has or, in stripped static programs, by texts that only it prints.
func (i *Info) Allocator() (Allocator, bool) {
	for _, a := range allocator.Known() {
		found := slices.ContainsFunc(a.Mallocs, i.Defines) || slices.ContainsFunc(a.Symbols, i.Defines) || slices.ContainsFunc(a.Prefixes, i.definesPrefix)
		// A program that is not stripped would have the functions.
		if !found && a.Text != "" && i.Stripped {
			found = i.VersionString(regexp.MustCompile(regexp.QuoteMeta(a.Text))) != ""
		}
		if !found {
			continue
		}
		out := Allocator{Name: a.Name}
		if a.Version != nil {
			out.Version = i.VersionString(a.Version)
		}
		return out, true
	}
	return Allocator{}, false
}

func (i *Info) definesPrefix(prefix string) bool {
	at, _ := slices.BinarySearch(i.defined, prefix)
	return at < len(i.defined) && strings.HasPrefix(i.defined[at], prefix)
}
