package abi

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// changed are the names that GCC gives copies of functions whose arguments it changed.
var changed = regexp.MustCompile(`\.(isra|constprop|part)\.`)

// closures are functions that have variables of another one besides their arguments.
var closures = regexp.MustCompile(`\.func\d+(\.\d+)*$|\{\{?closure`)

// Binary is the debug information of a binary. It is read once for all its functions, and needs the
// file no longer.
type Binary struct {
	data     *dwarf.Data
	sections map[string][]byte // that say where parameters are
}

// Read reads the debug information of a binary.
func Read(file *elf.File) (*Binary, error) {
	if file.Section(".debug_info") == nil && file.Section(".zdebug_info") == nil {
		return nil, ErrNoTypes
	}
	data, err := file.DWARF()
	if err != nil {
		return nil, fmt.Errorf("reading the debug information: %w", err)
	}
	return &Binary{data, locationSections(file)}, nil
}

// Of gives the signature of a function, by its symbol and where it begins.
func (b *Binary) Of(symbol string, address uint64) (Signature, error) {
	r := b.data.Reader()
	unit, err := r.SeekPC(address)
	if err != nil {
		if errors.Is(err, dwarf.ErrUnknownPC) {
			err = ErrNoTypes
		}
		return Signature{}, err //nolint:wrapcheck // it says what it is about
	}
	convention, known := conventionOf(unit)
	if !known {
		return Signature{}, errLanguage
	}
	for {
		entry, err := r.Next()
		if err != nil {
			return Signature{}, fmt.Errorf("reading the debug information: %w", err)
		}
		if entry == nil || entry.Tag == dwarf.TagCompileUnit {
			return Signature{}, ErrNoTypes
		}
		if entry.Tag != dwarf.TagSubprogram || !begins(b.data, entry, address) {
			continue
		}
		f, err := readFunction(b.data, newLocations(b.sections, unit), entry, address)
		if err != nil {
			return Signature{}, err
		}
		f.changed = f.changed || changed.MatchString(symbol)
		if closures.MatchString(f.name) || closures.MatchString(symbol) {
			return Signature{}, errClosure
		}
		return convention(f)
	}
}

// begins says whether a function begins at an address; one in several pieces has ranges.
func begins(data *dwarf.Data, entry *dwarf.Entry, address uint64) bool {
	if low, ok := entry.Val(dwarf.AttrLowpc).(uint64); ok || entry.Val(dwarf.AttrRanges) == nil {
		return ok && low == address
	}
	ranges, err := data.Ranges(entry)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] == address })
}

// Languages, as DWARF numbers them (DW_LANG_…).
const (
	langGo   = 0x16
	langRust = 0x1c
)

var (
	langC   = map[int64]bool{0x01: true, 0x02: true, 0x0c: true, 0x1d: true, 0x2c: true, 0x3e: true}
	langCPP = map[int64]bool{0x04: true, 0x1a: true, 0x21: true, 0x2b: true, 0x3a: true}
)

func conventionOf(unit *dwarf.Entry) (func(*function) (Signature, error), bool) {
	language, _ := unit.Val(dwarf.AttrLanguage).(int64)
	switch {
	case langC[language]:
		return ofC, true
	case langCPP[language]:
		return ofCPP, true
	case language == langRust:
		return ofRust, true
	case language == langGo:
		return ofGo, true
	}
	return nil, false
}
