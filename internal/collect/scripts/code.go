package scripts

import (
	"fmt"

	"whyhot/internal/collect/codemap"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

// codeOf is where functions are whose values a runtime has told: their code is at the value
// itself, or where indirect says.
func codeOf(pid uint32, functions map[uint64]string, indirect func(value uint64) uint64) (out []moments.Code) {
	regions, err := codemap.Of(int(pid))
	if err != nil {
		return nil // it is gone
	}
	files := map[string]*unwound{}
	for value, name := range functions {
		r := within(regions, value)
		if r == nil {
			value = indirect(value)
			r = within(regions, value)
		}
		if r == nil {
			continue
		}
		if files[r.Path] == nil {
			files[r.Path] = unwoundOf(fmt.Sprintf("/proc/%d/root%s", pid, r.Path))
		}
		if low, high, ok := files[r.Path].around(value - r.Low + r.Offset); ok {
			out = append(out, moments.Code{Path: r.Path, Low: low, High: high, Function: name})
		}
	}
	for _, u := range files {
		u.close()
	}
	return out
}

func within(regions []codemap.Region, at uint64) *codemap.Region {
	for i := range regions {
		if r := &regions[i]; r.Low <= at && at < r.High {
			return r
		}
	}
	return nil
}

// unwound tells where functions of a file begin and end.
type unwound struct {
	section *cfi.Section
	file    *elffile.File
}

func unwoundOf(path string) *unwound {
	u := &unwound{}
	file, err := elffile.Open(path)
	if err != nil {
		return u
	}
	u.file, u.section = file, cfi.Exception(file)
	return u
}

func (u *unwound) close() {
	if u.file != nil {
		_ = u.file.Close() // only read from
	}
}

// around is the function at an offset in the file, in offsets.
func (u *unwound) around(offset uint64) (low, high uint64, ok bool) {
	if u.section == nil {
		return 0, 0, false
	}
	at, ok := u.file.OffsetToVaddr(offset)
	if !ok {
		return 0, 0, false
	}
	f, ok := u.section.Find(at)
	if !ok {
		return 0, 0, false
	}
	return f.Low - at + offset, f.High - at + offset, true
}
