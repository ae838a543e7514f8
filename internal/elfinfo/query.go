package elfinfo

import (
	"debug/elf"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/elffile"
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

func matching(names []string, re *regexp.Regexp) []string {
	var out []string
	for _, n := range names {
		if re.MatchString(n) {
			out = append(out, n)
		}
	}
	return out
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

// Allocator is a memory allocator that is part of a binary.
type Allocator struct {
	Name    string // "jemalloc", "mimalloc", "tcmalloc", …
	Version string // "" when it does not tell
}

// allocators are told by functions that only they have or, in stripped static
// programs, by texts that only they print.
var allocators = []struct {
	name     string
	symbols  []string
	prefixes []string
	text     string
	version  *regexp.Regexp
}{
	{
		name: "jemalloc",
		symbols: []string{
			"mallctl", "mallctlnametomib", "je_malloc", "je_mallctl", "rje_malloc", "_rjem_malloc", "_rjem_mallctl", "_rjem_je_mallctl",
			"jemalloc_mallctl",
		},
		prefixes: []string{"je_arena_", "_rjem_je_arena_"},
		text:     "<jemalloc>: ",
		version:  regexp.MustCompile(`\b(\d+\.\d+\.\d+)-\d+-g[0-9a-f]{40}\b`),
	},
	{
		name:    "mimalloc",
		symbols: []string{"mi_malloc", "_mi_malloc_generic", "mi_heap_malloc", "mi_process_init"},
		text:    "mimalloc: warning: ",
	},
	{
		name:     "tcmalloc",
		symbols:  []string{"tc_malloc", "tc_new", "TCMallocInternalMalloc"},
		prefixes: []string{"_ZN8tcmalloc"},
		text:     "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES",
		version:  regexp.MustCompile(`gperftools (\d+\.\d+(?:\.\d+)?)`),
	},
	{name: "snmalloc", symbols: []string{"sn_malloc", "sn_rust_alloc"}, prefixes: []string{"_ZN8snmalloc"}},
	{name: "rpmalloc", symbols: []string{"rpmalloc", "rpmalloc_initialize"}},
	{name: "scudo", prefixes: []string{"__scudo_", "_ZN5scudo"}, text: "Scudo ERROR: "},
	{name: "hoard", prefixes: []string{"_ZN5Hoard"}},
}

// Allocator tells which replacement allocator is in the binary, whether linked
// statically or because the binary is the allocator's library.
func (i *Info) Allocator() (Allocator, bool) {
	for _, a := range allocators {
		found := slices.ContainsFunc(a.symbols, i.Defines) || slices.ContainsFunc(a.prefixes, i.definesPrefix)
		// A program that is not stripped would have the functions.
		if !found && a.text != "" && i.Stripped {
			found = i.VersionString(regexp.MustCompile(regexp.QuoteMeta(a.text))) != ""
		}
		if !found {
			continue
		}
		out := Allocator{Name: a.name}
		if a.version != nil {
			out.Version = i.VersionString(a.version)
		}
		return out, true
	}
	return Allocator{}, false
}

func (i *Info) definesPrefix(prefix string) bool {
	at, _ := slices.BinarySearch(i.defined, prefix)
	return at < len(i.defined) && strings.HasPrefix(i.defined[at], prefix)
}
