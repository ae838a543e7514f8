package api

import (
	"encoding/binary"
	"fmt"
	"mime"
	"strings"

	"whyhot/internal/profile/wire"
	"whyhot/internal/store"
)

// treeType is the media type of a tree whose columns are varints.
const treeType = "application/vnd.whyhot.tree"

// columnsVersion is checked by web/src/data/columns.ts, which reads what is written here.
const columnsVersion = 1

// columnsHeader is the JSON part of the form: everything but the columns of nodes.
// Functions are columns too; index 0 of Binaries and Files is "".
type columnsHeader struct {
	Version  int       `json:"version"`
	Basis    basisForm `json:"basis"`
	Root     string    `json:"root"`
	Nodes    int       `json:"nodes"`
	Scale    int64     `json:"scale"` // weights are multiples of it
	IDs      []uint32  `json:"ids"`
	Names    []string  `json:"names"`
	Kinds    []string  `json:"kinds"`
	Origins  []string  `json:"origins"`
	Binary   []int     `json:"binary"`
	File     []int     `json:"file"`
	Line     []int32   `json:"line"`
	Binaries []string  `json:"binaries"`
	Files    []string  `json:"files"`
	Events   *int64    `json:"events,omitempty"` // there is a column of them, too
}

// wantsColumns says whether a client takes a tree as columns rather than as JSON: it has
// to name the type, as what is not JSON is of no use to who did not think of it.
func wantsColumns(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		if kind, params, err := mime.ParseMediaType(part); err == nil && kind == treeType && params["q"] != "0" {
			return true
		}
	}
	return false
}

// columnsOf writes a tree in the form that docs/api/openapi.yaml describes: the length of
// the header, the header, and then one column after the other.
func columnsOf(t *store.Tree, root string) (file, error) {
	h := columnsHeader{
		Version: columnsVersion, Basis: formOf(t.Basis), Root: root, Nodes: len(t.Function),
		IDs: []uint32{}, Names: []string{}, Kinds: []string{}, Origins: []string{}, Binary: []int{}, File: []int{}, Line: []int32{},
	}
	if t.NodeEvents != nil {
		h.Events = &t.Events
	}
	place := h.name(t)
	hidden := hiddenWeights(t)
	h.Scale = scaleOf(t.Self, hidden)
	const usual = 6 // bytes of a node
	out, err := wire.AppendHeader(make([]byte, 0, 64*len(h.IDs)+usual*len(t.Function)), &h)
	if err != nil {
		return file{}, fmt.Errorf("encoding the tree's header: %w", err)
	}
	depth, before := make([]int32, len(t.Function)), int32(-1)
	for i, parent := range t.Parent {
		if i > 0 {
			depth[i] = depth[parent] + 1
		}
		out = wire.AppendStep(out, before, depth[i])
		before = depth[i]
	}
	for _, f := range t.Function {
		out = binary.AppendUvarint(out, uint64(place.of(f)-1))
	}
	for _, self := range t.Self {
		out = binary.AppendUvarint(out, uint64(self/h.Scale))
	}
	out = appendHidden(out, t.Hidden, hidden, h.Scale)
	for _, events := range t.NodeEvents {
		out = binary.AppendUvarint(out, uint64(max(0, events)))
	}
	return file{kind: treeType, data: out}, nil
}

// places are numbers of functions. A list is many times quicker than a map for a tree of a
// million nodes; numbers that are large, after years of new functions, would make it too long.
type places struct {
	list []uint32
	far  map[store.FunctionID]uint32
}

const longestPlaces = 8 << 20

func newPlaces(t *store.Tree) *places {
	last := store.FunctionID(0)
	for id := range t.Functions {
		last = max(last, id)
	}
	if last >= longestPlaces {
		return &places{far: make(map[store.FunctionID]uint32, len(t.Functions))}
	}
	return &places{list: make([]uint32, last+1)}
}

func (p *places) of(id store.FunctionID) uint32 {
	if p.far != nil {
		return p.far[id]
	}
	return p.list[id]
}

func (p *places) set(id store.FunctionID, place uint32) {
	if p.far != nil {
		p.far[id] = place
		return
	}
	p.list[id] = place
}

// name puts the functions of a tree into columns, by first use: frequent ones get the
// short numbers. It gives the place of each, counted from 1.
func (h *columnsHeader) name(t *store.Tree) *places {
	place := newPlaces(t)
	binaries, files := wire.NewTexts(), wire.NewTexts()
	for _, id := range t.Function {
		if place.of(id) > 0 {
			continue
		}
		f := t.Functions[id]
		h.IDs = append(h.IDs, uint32(id))
		h.Names = append(h.Names, f.Name)
		h.Kinds = append(h.Kinds, f.Kind.String())
		h.Origins = append(h.Origins, originOf(&f).String())
		h.Binary = append(h.Binary, binaries.Number(f.Binary))
		h.File = append(h.File, files.Number(f.File))
		h.Line = append(h.Line, f.StartLine)
		place.set(id, uint32(len(h.IDs)))
	}
	h.Binaries, h.Files = binaries.List, files.List
	return place
}

// hiddenWeights is what each node has beside its own weight and that of its children
// which are there.
func hiddenWeights(t *store.Tree) []int64 {
	out := make([]int64, len(t.Total))
	for i, total := range t.Total {
		out[i] += total - t.Self[i]
		if i > 0 {
			out[t.Parent[i]] -= total
		}
	}
	return out
}

// scaleOf is the greatest common divisor of all weights: those of a profiler are
// multiples of its period.
func scaleOf(columns ...[]int64) int64 {
	scale := int64(0)
	for _, column := range columns {
		for _, v := range column {
			if scale == 1 {
				return 1
			}
			for a, b := v, scale; ; a, b = b, a%b {
				if b == 0 {
					scale = a
					break
				}
			}
		}
	}
	return max(1, scale)
}

// appendHidden writes the nodes that have children which were left out: how many nodes on
// from the one before, how many children, what they weigh. A 0 for the first ends them.
func appendHidden(out []byte, count []int32, weight []int64, scale int64) []byte {
	last := -1
	for i, n := range count {
		if n == 0 {
			continue
		}
		out = binary.AppendUvarint(out, uint64(i-last))
		out = binary.AppendUvarint(out, uint64(n))
		out = binary.AppendUvarint(out, uint64(max(0, weight[i]/scale)))
		last = i
	}
	return append(out, 0)
}
