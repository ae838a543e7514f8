// Package binfacts answers a rule's questions about binaries and source from the
// files on this machine.
//
// It owns the question of trust: a file counts as the one that was profiled
// when its build ID is the profile's, or, weaker, when the profile has no build
// ID and the path is the same. It takes mappings and gives judge.Binary. It must
// never import view, report or a reader of profiles.
package binfacts

import (
	"errors"
	"path/filepath"
	"regexp"

	"whyhot/internal/elfinfo"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/sourcetext"
)

// Facts reads binaries of one system and remembers them.
type Facts struct {
	reader  *elfinfo.Reader
	source  sourcetext.Finder
	sources map[string][]string // nil where there is none
	code    map[string]*elffile.File
	// byBuildID has no source read, and no binary believed for its path.
	byBuildID bool
}

// New returns the facts of this machine; debugDirs are searched for separate
// debug files too.
func New(debugDirs ...string) *Facts {
	return &Facts{reader: elfinfo.NewReader("", debugDirs...), sources: map[string][]string{}, code: map[string]*elffile.File{}}
}

// ByBuildID returns the facts of a machine about profiles that others made: what a path
// in one leads to here says nothing, and is not to be read for whoever sent it. Only
// binaries with the build ID of the profile's count.
func ByBuildID(debugDirs ...string) *Facts {
	f := New(debugDirs...)
	f.byBuildID = true
	return f
}

// RecordedIn names the profiled command and the directory in which it ran: source is looked for
// there too, and beside what the command names.
func (f *Facts) RecordedIn(directory string, command []string) *Facts {
	f.source.RecordedIn, f.source.Beside = directory, sourcetext.Beside(command, directory)
	return f
}

// Source implements judge.Facts. A relative path is one of the directory in which the command
// was recorded, else of the working directory.
func (f *Facts) Source(path string) (lines []string, ok bool) {
	if f.byBuildID {
		return nil, false
	}
	lines, known := f.sources[path]
	if !known {
		lines, _ = f.source.Lines(path)
		f.sources[path] = lines
	}
	return lines, lines != nil
}

// Binary implements judge.Facts. A bare name, as folded stacks have it, is not
// looked up: it could be any file.
func (f *Facts) Binary(m *profile.Mapping) (judge.Binary, judge.Trust) {
	if !filepath.IsAbs(m.Path) || f.byBuildID && m.BuildID == "" {
		return nil, judge.NoTrust
	}
	info, err := f.reader.Read(m.Path)
	switch {
	case err != nil:
		return nil, judge.NoTrust // not here, or no ELF file: nothing is known
	case m.BuildID == "":
		return binary{info}, judge.PathTrust
	case m.BuildID == info.BuildID:
		return binary{info}, judge.BuildIDExact
	}
	return nil, judge.NoTrust // another build than the one that ran
}

// Info is what the binary of a mapping says of itself, nil where it is not the one
// that was profiled.
func (f *Facts) Info(m *profile.Mapping) *elfinfo.Info {
	b, trust := f.Binary(m)
	if trust == judge.NoTrust {
		return nil
	}
	return b.(binary).info //nolint:forcetypeassert // Binary gives no other
}

// Code is the binary that an address of a mapping is in, open until Close, and where
// in it; ok is false where the binary is not the one that was profiled.
func (f *Facts) Code(m *profile.Mapping, address uint64) (file *elffile.File, vaddr uint64, ok bool) {
	if _, trust := f.Binary(m); trust == judge.NoTrust || address < m.Start || address >= m.Limit {
		return nil, 0, false
	}
	if file = f.open(m.Path); file == nil {
		return nil, 0, false
	}
	vaddr, ok = file.OffsetToVaddr(address - m.Start + m.Offset)
	return file, vaddr, ok
}

// Instruction is what the machine code at an address of a mapping is; ok is false
// where the binary is not the one that was profiled.
func (f *Facts) Instruction(m *profile.Mapping, address uint64) (in instruction.Instruction, ok bool) {
	file, vaddr, ok := f.Code(m, address)
	if !ok {
		return in, false
	}
	err := elffile.Guard(m.Path, func() error {
		in, ok = instruction.At(file, vaddr)
		return nil
	})
	return in, ok && err == nil
}

// open keeps binaries open until Close; nil is one that cannot be read.
func (f *Facts) open(path string) *elffile.File {
	file, known := f.code[path]
	if !known {
		file, _ = elffile.Open(path)
		f.code[path] = file
	}
	return file
}

// Close closes the binaries whose instructions were read.
func (f *Facts) Close() error {
	var errs []error
	for _, file := range f.code {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	clear(f.code)
	return errors.Join(errs...)
}

type binary struct{ info *elfinfo.Info }

func (b binary) Defines(re *regexp.Regexp) (symbol string, found, known bool) {
	names := b.info.DefinesMatch(re)
	// A static program without .symtab shows nothing of what it defines.
	known = !b.info.Stripped || !b.info.Static
	if len(names) == 0 {
		return "", false, known
	}
	return names[0], true, known
}

func (b binary) Needed() []string { return b.info.Needed }

func (b binary) Static() bool { return b.info.Static }

func (b binary) Package() (name, version string) {
	return b.info.Package.Name, b.info.Package.Version
}

func (b binary) String(re *regexp.Regexp) (match string, found bool) {
	match = b.info.VersionString(re)
	return match, match != ""
}

func (b binary) Producers() []string {
	out := make([]string, 0, len(b.info.Producers))
	for _, p := range b.info.Producers {
		out = append(out, p.Text)
	}
	return out
}
