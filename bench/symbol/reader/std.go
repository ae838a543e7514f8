package main

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// attrMIPSLinkageName is the mangled name in DWARF from before version 4.
const attrMIPSLinkageName dwarf.Attr = 0x2007

// span is where a unit has code.
type span struct {
	low, high uint64
	unit      int
}

// unit is a compilation unit and the addresses in it, as indices, sorted by address.
type unit struct {
	entry *dwarf.Entry
	addrs []int
}

// std answers with the standard library: units by the ranges of their roots, then one
// pass over the entries and one over the line table of each unit that is asked about.
// What has no code, or none of the addresses, is skipped with its children.
func std(obj string, addrs []uint64) ([][]frame, error) {
	f, err := elf.Open(obj)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	units, err := sortIn(data, addrs)
	if err != nil {
		return nil, err
	}
	answers := make([][]frame, len(addrs))
	var next atomic.Int64
	var g errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			names := map[dwarf.Offset]string{}
			for {
				n := int(next.Add(1)) - 1
				if n >= len(units) {
					return nil
				}
				w := walk{data: data, addrs: addrs, unit: units[n], answers: answers, names: names, reader: data.Reader()}
				if err := w.run(); err != nil {
					return err
				}
			}
		})
	}
	return answers, g.Wait()
}

// sortIn finds the unit of each address.
func sortIn(data *dwarf.Data, addrs []uint64) ([]*unit, error) {
	var spans []span
	var units []*unit
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit {
			ranges, err := data.Ranges(e)
			if err != nil {
				return nil, err
			}
			for _, x := range ranges {
				spans = append(spans, span{x[0], x[1], len(units)})
			}
			units = append(units, &unit{entry: e})
		}
		r.SkipChildren()
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].low < spans[j].low })
	order := make([]int, len(addrs))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return addrs[order[i]] < addrs[order[j]] })
	for _, i := range order {
		at := sort.Search(len(spans), func(n int) bool { return spans[n].low > addrs[i] }) - 1
		if at >= 0 && addrs[i] < spans[at].high {
			u := units[spans[at].unit]
			u.addrs = append(u.addrs, i)
		}
	}
	return slices.DeleteFunc(units, func(u *unit) bool { return len(u.addrs) == 0 }), nil
}

// call is a function or an inlined call that holds addresses.
type call struct {
	parent     *call
	entry      *dwarf.Entry
	file, line int
}

// walk is the work on one unit.
type walk struct {
	data    *dwarf.Data
	addrs   []uint64
	unit    *unit
	answers [][]frame
	names   map[dwarf.Offset]string
	reader  *dwarf.Reader // for names
}

// in are the addresses in a range, as indices.
func (w *walk) in(low, high uint64) []int {
	from := sort.Search(len(w.unit.addrs), func(i int) bool { return w.addrs[w.unit.addrs[i]] >= low })
	to := from + sort.Search(len(w.unit.addrs)-from, func(i int) bool { return w.addrs[w.unit.addrs[from+i]] >= high })
	return w.unit.addrs[from:to]
}

func (w *walk) run() error {
	innermost, err := w.calls()
	if err != nil {
		return err
	}
	dir, _ := w.unit.entry.Val(dwarf.AttrCompDir).(string)
	files, lines, err := w.lines()
	if err != nil {
		return err
	}
	for _, i := range w.unit.addrs {
		at, ok := lines[i]
		file, line := at.file, at.line
		for c := innermost[i]; c != nil; c = c.parent {
			w.answers[i] = append(w.answers[i], frame{w.name(c.entry), absolute(dir, file), line})
			file, line = "", c.line
			if c.file > 0 && c.file < len(files) && files[c.file] != nil {
				file = files[c.file].Name
			}
		}
		if innermost[i] == nil && ok {
			w.answers[i] = []frame{{"", absolute(dir, file), line}}
		}
	}
	return nil
}

func absolute(dir, file string) string {
	if file == "" || filepath.IsAbs(file) || strings.HasPrefix(file, dir+"/") { // DWARF 5 names the folder itself, and it may be relative
		return file
	}
	return filepath.Join(dir, file)
}

// calls finds the innermost call at each address.
func (w *walk) calls() (map[int]*call, error) {
	innermost := make(map[int]*call, len(w.unit.addrs))
	r := w.data.Reader()
	r.Seek(w.unit.entry.Offset)
	if _, err := r.Next(); err != nil {
		return nil, err
	}
	open := []*call{nil} // by depth
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil || e.Tag == dwarf.TagCompileUnit {
			return innermost, nil
		}
		if e.Tag == 0 {
			if open = open[:len(open)-1]; len(open) == 0 {
				return innermost, nil
			}
			continue
		}
		in := open[len(open)-1]
		descend := e.Children
		switch e.Tag { //nolint:exhaustive // the others have no code
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			ranges, err := w.data.Ranges(e)
			if err != nil {
				return nil, err
			}
			c := &call{parent: in, entry: e, file: number(e, dwarf.AttrCallFile), line: number(e, dwarf.AttrCallLine)}
			if e.Tag == dwarf.TagSubprogram {
				c.parent = nil
			}
			holds := false
			for _, x := range ranges {
				for _, i := range w.in(x[0], x[1]) {
					innermost[i], holds = c, true
				}
			}
			// A function that holds none of the addresses may still have those of its
			// local classes and lambdas in it.
			in, descend = c, descend && (holds || e.Tag == dwarf.TagSubprogram)
		case dwarf.TagNamespace, dwarf.TagLexDwarfBlock, dwarf.TagModule:
		case dwarf.TagClassType, dwarf.TagStructType: // may hold functions of a language that defines them in place
		default:
			descend = false
		}
		switch {
		case descend:
			open = append(open, in)
		case e.Children:
			r.SkipChildren()
		}
	}
}

func number(e *dwarf.Entry, a dwarf.Attr) int {
	n, _ := e.Val(a).(int64)
	return int(n)
}

// position is a place in the source.
type position struct {
	file string
	line int
}

// lines finds the row of the line table for each address.
func (w *walk) lines() ([]*dwarf.LineFile, map[int]position, error) {
	at := make(map[int]position, len(w.unit.addrs))
	r, err := w.data.LineReader(w.unit.entry)
	if err != nil || r == nil {
		return nil, at, err
	}
	var last, row dwarf.LineEntry
	last.EndSequence = true
	for {
		if err := r.Next(&row); err != nil {
			if errors.Is(err, io.EOF) {
				return r.Files(), at, nil
			}
			return nil, nil, err
		}
		if !last.EndSequence && row.Address > last.Address {
			for _, i := range w.in(last.Address, row.Address) {
				p := position{line: last.Line}
				if last.File != nil {
					p.file = last.File.Name
				}
				at[i] = p
			}
		}
		last = row
	}
}

// name is the name in the binary of a function.
func (w *walk) name(e *dwarf.Entry) string {
	if n, ok := w.names[e.Offset]; ok {
		return n
	}
	from := e.Offset
	plain := ""
	for range 16 {
		for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName} {
			if n, ok := e.Val(a).(string); ok {
				w.names[from] = n
				return n
			}
		}
		if n, ok := e.Val(dwarf.AttrName).(string); ok && plain == "" {
			plain = n
		}
		to, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if to, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		w.reader.Seek(to)
		next, err := w.reader.Next()
		if err != nil || next == nil {
			break
		}
		e = next
	}
	w.names[from] = plain
	return plain
}
