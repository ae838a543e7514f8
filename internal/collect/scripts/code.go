package scripts

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

// region is a part of a file that a process executes.
type region struct {
	path             string
	low, high, start uint64 // addresses, and the offset of low in the file
}

// codeOf is where functions are whose values a runtime has told: their code is at the value
// itself, or where indirect says.
func codeOf(pid uint32, functions map[uint64]string, indirect func(value uint64) uint64) (out []moments.Code) {
	regions := regionsOf(pid)
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
		if files[r.path] == nil {
			files[r.path] = unwoundOf(fmt.Sprintf("/proc/%d/root%s", pid, r.path))
		}
		if low, high, ok := files[r.path].around(value - r.low + r.start); ok {
			out = append(out, moments.Code{Path: r.path, Low: low, High: high, Function: name})
		}
	}
	for _, u := range files {
		u.close()
	}
	return out
}

func within(regions []region, at uint64) *region {
	for i := range regions {
		if r := &regions[i]; r.low <= at && at < r.high {
			return r
		}
	}
	return nil
}

// regionsOf reads a process's memory map.
func regionsOf(pid uint32) (out []region) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read from
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		at := strings.IndexByte(lines.Text(), '/')
		if len(fields) < 6 || at < 0 || !strings.Contains(fields[1], "x") {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		r := region{path: lines.Text()[at:]}
		for _, n := range []struct {
			to   *uint64
			text string
		}{{&r.low, low}, {&r.high, high}, {&r.start, fields[2]}} {
			if *n.to, err = strconv.ParseUint(n.text, 16, 64); err != nil {
				break
			}
		}
		if err == nil {
			out = append(out, r)
		}
	}
	return out
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
