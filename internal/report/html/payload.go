package html

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/view"
	"whyhot/internal/profile/wire"
)

// payloadVersion is checked by web/src/data/payload.ts, which reads what is
// written here.
const payloadVersion = 1

// payloadHeader is the JSON part of the wire form: everything but the tree's
// columns. Functions are columns too; index 0 of Libraries and Files is "".
type payloadHeader struct {
	Version   int      `json:"version"`
	Title     string   `json:"title"`
	Type      string   `json:"type"`
	Unit      string   `json:"unit"`
	Samples   int64    `json:"samples"`
	FromLeaf  bool     `json:"from_leaf"`
	RootBelow bool     `json:"root_below"`
	Nodes     int      `json:"nodes"`
	Lines     bool     `json:"lines"`
	Names     []string `json:"names"`
	Origins   []int    `json:"origins"`
	Library   []int    `json:"library"`
	File      []int    `json:"file"`
	Line      []int32  `json:"line"`
	Libraries []string `json:"libraries"`
	Files     []string `json:"files"`
	// Bill is that of all of the profile.
	Bill *finding.Bill `json:"bill,omitempty"`
}

// functionTable renumbers the functions of a tree by first use: the page gets
// no others, and frequent ones get the short numbers.
type functionTable struct {
	p         *profile.Profile
	header    *payloadHeader
	ids       map[profile.FunctionID]int
	labels    map[string]int
	libraries *wire.Texts
	files     *wire.Texts
}

func newFunctionTable(p *profile.Profile, h *payloadHeader) *functionTable {
	return &functionTable{
		p: p, header: h,
		ids: map[profile.FunctionID]int{}, labels: map[string]int{},
		libraries: wire.NewTexts(), files: wire.NewTexts(),
	}
}

func (t *functionTable) of(n *view.Node) int {
	if n.Label != "" || n.Parent < 0 {
		return t.label(n.Label)
	}
	if i, ok := t.ids[n.Function]; ok {
		return i
	}
	f := t.p.Function(n.Function)
	i := t.add(view.Name(t.p, n.Function), ownline.Origin(t.p, n.Function),
		t.libraries.Number(t.p.Mapping(f.Mapping).Path), t.files.Number(f.File), f.StartLine)
	t.ids[n.Function] = i
	return i
}

func (t *functionTable) label(text string) int {
	if text == "" {
		text = "all"
	}
	i, ok := t.labels[text]
	if !ok {
		i = t.add(text, origin.Group, 0, 0, 0)
		t.labels[text] = i
	}
	return i
}

func (t *functionTable) add(name string, o origin.Origin, library, file int, line int32) int {
	h := t.header
	h.Names = append(h.Names, name)
	h.Origins = append(h.Origins, int(o))
	h.Library = append(h.Library, library)
	h.File = append(h.File, file)
	h.Line = append(h.Line, line)
	return len(h.Names) - 1
}

// writePayload writes the wire form, base64 so that it can stand in HTML.
func writePayload(w io.Writer, in *FlameInput) error {
	meta := &in.Profile.Meta
	h := payloadHeader{
		Version: payloadVersion, Title: in.Title, Type: meta.ValueType.Type, Unit: meta.ValueType.Unit,
		Samples: view.Events(in.Profile), FromLeaf: in.FromLeaf, RootBelow: in.RootBelow, Nodes: len(in.Tree.Nodes),
	}
	if in.Rate != nil {
		b := in.Rate.Of(1)
		h.Bill = &b
	}
	table := newFunctionTable(in.Profile, &h)
	nodes := in.Tree.Nodes
	functions := make([]int, len(nodes))
	for i := range nodes {
		functions[i] = table.of(&nodes[i])
		h.Lines = h.Lines || nodes[i].Line != 0
	}
	h.Libraries, h.Files = table.libraries.List, table.files.List
	head, err := wire.AppendHeader(nil, &h)
	if err != nil {
		return fmt.Errorf("encoding the profile's header: %w", err)
	}
	b64 := base64.NewEncoder(base64.StdEncoding, w)
	deflate, err := zlib.NewWriterLevel(b64, zlib.DefaultCompression)
	if err != nil {
		return fmt.Errorf("compressing the profile: %w", err)
	}
	out := bufio.NewWriterSize(deflate, 1<<16)
	writeColumns(out, head, nodes, functions, h.Lines)
	for _, finish := range []func() error{out.Flush, deflate.Close, b64.Close} {
		if err := finish(); err != nil {
			return fmt.Errorf("writing the profile into the page: %w", err)
		}
	}
	return nil
}

// writeColumns leaves errors to the Flush of its buffered writer.
func writeColumns(out *bufio.Writer, head []byte, nodes []view.Node, functions []int, lines bool) {
	var scratch [binary.MaxVarintLen64]byte
	_, _ = out.Write(head)
	put := func(v uint64) { _, _ = out.Write(binary.AppendUvarint(scratch[:0], v)) }
	before := int32(-1)
	for i := range nodes {
		_, _ = out.Write(wire.AppendStep(scratch[:0], before, nodes[i].Depth))
		before = nodes[i].Depth
	}
	for _, f := range functions {
		put(uint64(f))
	}
	for i := range nodes {
		_, _ = out.Write(binary.AppendVarint(scratch[:0], nodes[i].Self))
	}
	if lines {
		for i := range nodes {
			put(uint64(max(0, nodes[i].Line)))
		}
	}
}
