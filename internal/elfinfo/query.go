package elfinfo

import (
	"debug/elf"
	"regexp"
	"slices"

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
// has one. "" means that there is none.
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
	name    string
	symbols *regexp.Regexp
	text    *regexp.Regexp
	version *regexp.Regexp
}{
	{
		"jemalloc", regexp.MustCompile(`^(je_|_rjem_|_rjem_je_|jemalloc_)?(mallctl|mallctlnametomib)$|^_?r?je_malloc$|^je_arena_`),
		regexp.MustCompile(`<jemalloc>: `), regexp.MustCompile(`\b(\d+\.\d+\.\d+)-\d+-g[0-9a-f]{40}\b`),
	},
	{"mimalloc", regexp.MustCompile(`^_?mi_(malloc|heap_malloc|process_load|option_get)$`), regexp.MustCompile(`mimalloc: (warning|error): `), nil},
	{
		"tcmalloc", regexp.MustCompile(`^(tc_malloc|tc_new|TCMallocInternalMalloc|TCMalloc_SystemAlloc)$|^_ZN8tcmalloc\d+\w+`),
		regexp.MustCompile(`TCMALLOC_[A-Z_]{8,}`), regexp.MustCompile(`gperftools (\d+\.\d+(?:\.\d+)?)`),
	},
	{"snmalloc", regexp.MustCompile(`^(_ZN8snmalloc|sn_malloc$|sn_rust_alloc$)`), nil, nil},
	{"rpmalloc", regexp.MustCompile(`^rpmalloc(_initialize)?$`), nil, nil},
	{"scudo", regexp.MustCompile(`^__scudo_|^_ZN5scudo`), regexp.MustCompile(`Scudo ERROR: `), nil},
	{"hoard", regexp.MustCompile(`^_ZN5Hoard`), nil, nil},
}

// Allocator tells which replacement allocator is in the binary, whether linked
// statically or because the binary is the allocator's library.
func (i *Info) Allocator() (Allocator, bool) {
	for _, a := range allocators {
		found := len(i.DefinesMatch(a.symbols)) > 0
		// A library only carries the texts in its constants when the code is in it.
		if !found && a.text != nil && i.Stripped {
			found = i.VersionString(a.text) != ""
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
