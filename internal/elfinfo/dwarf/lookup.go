package dwarf

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/elfinfo/elffile"
)

// Frame is one function at an address.
type Frame struct {
	Function *Function // never nil; the same pointer for the same function
	File     string    // of the line, "" when not known
	Line     int32     // 0 when not known, or when the compiler made the code up
}

// Lookup answers for many addresses, on all processors. For each that is inside
// a known unit it calls found once, with the index of the address and its frames,
// innermost inlined call first; the frames are shared between equal answers and
// must not be written to. found is called from several goroutines at once, but
// never for one unit from two: made is called before the first answer of each
// unit and gives the found for that unit. A unit whose line table knows an address
// that no function holds gives one frame of a Function without a name.
func (d *Info) Lookup(ctx context.Context, addrs []uint64, made func() func(i int, frames []Frame)) error {
	work := d.byUnit(addrs)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), len(work)) {
		g.Go(func() error {
			return elffile.Guard("debug information", func() error {
				for {
					n := int(next.Add(1)) - 1
					if n >= len(work) {
						return nil
					}
					if err := ctx.Err(); err != nil {
						return err
					}
					d.units[work[n].unit].answer(addrs, work[n].addrs, made())
				}
			})
		})
	}
	return g.Wait()
}

// job is one unit and the addresses (as indices) that fall into it.
type job struct {
	unit  int32
	addrs []int32
}

// byUnit sorts addresses into units, the largest unit first, so that no processor
// is left with it at the end.
func (d *Info) byUnit(addrs []uint64) []job {
	of := map[int32]int{}
	var work []job
	for i, addr := range addrs {
		id, ok := d.byAddr.Find(addr)
		if !ok {
			continue
		}
		j, seen := of[id]
		if !seen {
			j = len(work)
			of[id] = j
			work = append(work, job{unit: id})
		}
		work[j].addrs = append(work[j].addrs, int32(i))
	}
	size := func(j job) uint64 { return d.units[j.unit].end - d.units[j.unit].off }
	slices.SortFunc(work, func(a, b job) int { return cmp.Compare(size(b), size(a)) })
	return work
}

// answerKey is what frames depend on: neighbouring instructions share it.
type answerKey struct {
	node int32
	file uint32
	line uint32
}

func (u *unit) answer(addrs []uint64, which []int32, found func(int, []Frame)) {
	t := u.functions()
	if t.err != nil {
		u.info.note(t.err.Error())
	}
	lines := u.lineTable()
	known := map[answerKey][]Frame{}
	for _, i := range which {
		addr := addrs[i]
		node, inFunction := t.index.Find(addr)
		line, hasLine := lines.find(addr)
		if !inFunction {
			node = noNode
			if !hasLine {
				continue
			}
		}
		key := answerKey{node, line.file, line.line}
		frames, ok := known[key]
		if !ok {
			frames = u.frames(t, node, line, hasLine)
			known[key] = frames
		}
		found(int(i), frames)
	}
}

// unnamed stands for code that only the line table knows.
var unnamed = &Function{}

// frames follows the inlined calls outwards from a node.
func (u *unit) frames(t *tree, node int32, at row, hasLine bool) []Frame {
	lines := u.lineTable()
	var file string
	var line int32
	if hasLine {
		file, line = lines.header.path(uint64(at.file)), int32(at.line)
	}
	if node == noNode {
		return []Frame{{Function: unnamed, File: file, Line: line}}
	}
	var out []Frame
	// A child comes after its parent in the table, so this ends.
	for ; node >= 0; node = t.nodes[node].parent {
		n := &t.nodes[node]
		out = append(out, Frame{Function: u.named(n), File: file, Line: line})
		file, line = lines.header.path(uint64(n.callFile)), int32(n.callLine)
	}
	return out
}

func (u *unit) named(n *node) *Function {
	d := u.info
	if n.originAlt {
		if d = d.alt; d == nil {
			return unnamed
		}
	}
	return d.function(n.origin)
}
