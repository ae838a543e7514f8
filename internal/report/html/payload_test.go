package html

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"pgregory.net/rapid"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/view"
)

// unpacked is a payload read back the way the page reads it.
type unpacked struct {
	header payloadHeader
	depth  []int
	fn     []int
	self   []int64
	line   []int
}

func unpack(text []byte) (u unpacked, err error) {
	inflate, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
	if err != nil {
		return u, err
	}
	raw, err := io.ReadAll(inflate)
	if err != nil {
		return u, err
	}
	size := binary.LittleEndian.Uint32(raw)
	if err := json.Unmarshal(raw[4:4+size], &u.header); err != nil {
		return u, err
	}
	r := bytes.NewReader(raw[4+size:])
	column := func(visit func(uint64)) {
		for range u.header.Nodes {
			v, e := binary.ReadUvarint(r)
			if e != nil && err == nil {
				err = e
			}
			visit(v)
		}
	}
	last := -1
	column(func(v uint64) { last += 1 - int(v); u.depth = append(u.depth, last) })
	column(func(v uint64) { u.fn = append(u.fn, int(v)) })
	column(func(v uint64) { u.self = append(u.self, int64(v>>1)^-int64(v&1)) })
	if u.header.Lines {
		column(func(v uint64) { u.line = append(u.line, int(v)) })
	}
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("%d bytes too many", r.Len())
	}
	return u, err
}

// A frame has the colour that the server's page gives it: what an engine brings is nobody's own.
func TestOriginsAreThoseOfTheServer(t *testing.T) {
	b := profile.NewBuilder()
	var stack []profile.LocationID
	for _, f := range []profile.Function{{Name: "reduce", Kind: profile.KindJS}, {Name: "V8::EntryFrame", Kind: profile.KindJS}, {Name: "report", File: "/srv/app/agg.js", Kind: profile.KindJS}} {
		stack = append(stack, b.Location(0, 0, profile.KindJS, profile.Line{Function: b.Function(f)}))
	}
	b.Sample(profile.Sample{Stack: b.Stack(stack), Count: 1, Value: 1})
	p := b.Build(profile.Meta{})
	var out bytes.Buffer
	if err := writePayload(&out, &FlameInput{Title: "t", Profile: p, Tree: view.BuildTree(p, view.TreeOptions{})}); err != nil {
		t.Fatal(err)
	}
	u, err := unpack(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]origin.Origin{"reduce": origin.Library, "V8::EntryFrame": origin.Runtime, "report": origin.Own}
	for name, from := range want {
		if i := slices.Index(u.header.Names, name); i < 0 || origin.Origin(u.header.Origins[i]) != from {
			t.Errorf("%s: %v", name, u.header)
		}
	}
}

func TestPayloadHoldsTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProfile(t)
		tree := view.BuildTree(p, view.TreeOptions{
			Lines: rapid.Bool().Draw(t, "lines"), RootLabel: rapid.SampledFrom([]string{"", profile.LabelProcess}).Draw(t, "split"),
		})
		var b bytes.Buffer
		if err := writePayload(&b, &FlameInput{Title: "t", Profile: p, Tree: tree}); err != nil {
			t.Fatal(err)
		}
		u, err := unpack(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if u.header.Nodes != len(tree.Nodes) {
			t.Fatalf("%d nodes, want %d", u.header.Nodes, len(tree.Nodes))
		}
		for i, n := range tree.Nodes {
			if u.depth[i] != int(n.Depth) || u.self[i] != n.Self {
				t.Fatalf("node %d: depth %d self %d, want %d %d", i, u.depth[i], u.self[i], n.Depth, n.Self)
			}
			if u.line != nil && u.line[i] != int(n.Line) {
				t.Fatalf("node %d: line %d, want %d", i, u.line[i], n.Line)
			}
			want := n.Label
			switch {
			case n.Parent < 0:
				want = "all"
			case want == "":
				want = view.Name(p, n.Function)
			}
			// JSON holds no broken UTF-8: such bytes become U+FFFD.
			want = strings.ToValidUTF8(want, "\uFFFD")
			if got := u.header.Names[u.fn[i]]; got != want {
				t.Fatalf("node %d is called %q, want %q", i, got, want)
			}
		}
	})
}

func randomProfile(t *rapid.T) *profile.Profile {
	b := profile.NewBuilder()
	lib := b.Mapping(profile.Mapping{Path: "/lib/libx.so"})
	var locs []profile.LocationID
	for i := range 6 {
		name := rapid.SampledFrom([]string{"", "f", "g", "</script>", "\x00\xff", "é"}).Draw(t, "name")
		f := b.Function(profile.Function{Name: name, File: "a.c", Mapping: lib, Kind: profile.KindNative})
		locs = append(locs, b.Location(lib, uint64(i), profile.KindNative, profile.Line{Function: f, Line: int32(i)}))
	}
	for range rapid.IntRange(1, 30).Draw(t, "samples") {
		stack := rapid.SliceOfN(rapid.SampledFrom(locs), 0, 8).Draw(t, "stack")
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "process")}})
		b.Sample(profile.Sample{Stack: b.Stack(stack), Labels: labels, Count: 1, Value: rapid.Int64Range(-5, 1<<50).Draw(t, "value")})
	}
	return b.Build(profile.Meta{})
}
