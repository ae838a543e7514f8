package api

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/store"
)

// readColumns reads the form as docs/api/openapi.yaml says, and gives it as JSON has it.
func readColumns(t *testing.T, data []byte) (treeForm, columnsHeader) {
	t.Helper()
	size := binary.LittleEndian.Uint32(data)
	var h columnsHeader
	if err := json.Unmarshal(data[4:4+size], &h); err != nil {
		t.Fatal(err)
	}
	data = data[4+size:]
	next := func() int {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			t.Fatalf("cut short, %d bytes left", len(data))
		}
		data = data[n:]
		return int(v)
	}
	out := treeForm{Basis: h.Basis, Root: h.Root}
	var open []int32 // the nodes from the root to the last one
	for i := range h.Nodes {
		up, parent := next(), int32(-1)
		if i > 0 {
			open = open[:len(open)-up]
			parent = open[len(open)-1]
		}
		out.Parent = append(out.Parent, parent)
		open = append(open, int32(i))
	}
	for range h.Nodes {
		out.Function = append(out.Function, next())
	}
	for range h.Nodes {
		out.Self = append(out.Self, int64(next())*h.Scale)
	}
	out.Total, out.Hidden = append(out.Total, out.Self...), make([]int32, h.Nodes)
	for at := -1; ; {
		step := next()
		if step == 0 {
			break
		}
		at += step
		out.Hidden[at] = int32(next())
		out.Total[at] += int64(next()) * h.Scale
	}
	for i := h.Nodes - 1; i > 0; i-- {
		out.Total[out.Parent[i]] += out.Total[i]
	}
	if h.Events != nil {
		for range h.Nodes {
			if events := next(); int64(events) != *h.Events { // all was read
				t.Errorf("%d events behind a share, %d in all", events, *h.Events)
			}
		}
	}
	if len(data) != 0 {
		t.Fatalf("%d bytes too many", len(data))
	}
	return out, h
}

func TestTreeInColumnsIsTheTreeInJSON(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	doc := described(t)
	for _, query := range []string{"", "root=callees", "depth=1", "depth=2", "min_share=0.5", "max_nodes=3", "root=callees&depth=1", "from=now-2d&to=now-1d", "path=1,1,1,1"} {
		var want treeForm
		r.get("/api/v1/tree?"+query, "", &want)
		resp, data := r.do(http.MethodGet, "/api/v1/tree?"+query, "", nil, "Accept", "text/html, "+treeType)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != treeType {
			t.Fatalf("%s: %s %v", query, resp.Status, resp.Header)
		}
		got, h := readColumns(t, data)
		if len(want.Function) != len(got.Function) {
			t.Fatalf("%s: %d nodes, JSON has %d", query, len(got.Function), len(want.Function))
		}
		for i := range want.Function {
			f, at := want.Functions[want.Function[i]], got.Function[i]
			if h.IDs[at] != uint32(f.ID) || h.Names[at] != f.Name || h.Kinds[at] != f.Kind || h.Origins[at] != f.Origin ||
				h.Binaries[h.Binary[at]] != f.Binary || h.Files[h.File[at]] != f.File || h.Line[at] != f.Line {
				t.Errorf("%s: node %d is function %d of %+v, JSON has %+v", query, i, at, h, f)
			}
			if got.Parent[i] != want.Parent[i] || got.Self[i] != want.Self[i] || got.Total[i] != want.Total[i] || got.Hidden[i] != want.Hidden[i] {
				t.Errorf("%s: node %d: %+v, JSON has %+v", query, i, got, want)
			}
		}
		if got.Basis.Value != want.Basis.Value || got.Root != want.Root {
			t.Errorf("%s: %+v, JSON has %+v", query, got, want)
		}
		validateHeader(t, doc, data)
	}
}

func TestTreeSaysTheEventsBehindItsShares(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	_, data := r.do(http.MethodGet, "/api/v1/tree?events=true", "", nil, "Accept", treeType)
	if _, h := readColumns(t, data); h.Events == nil || *h.Events != h.Basis.Read {
		t.Errorf("%+v", h)
	}
	validateHeader(t, described(t), data)
	for query, accept := range map[string]string{"": "application/json", "&root=callees": treeType, "&focus=1": treeType} {
		if resp, body := r.do(http.MethodGet, "/api/v1/tree?events=true"+query, "", nil, "Accept", accept); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s as %s: %s %s", query, accept, resp.Status, body)
		}
	}
}

func validateHeader(t *testing.T, doc map[string]any, data []byte) {
	t.Helper()
	const at = "https://whyhot.invalid/openapi.json"
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(at, parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(at + "#/components/schemas/TreeHeader")
	if err != nil {
		t.Fatal(err)
	}
	head, err := jsonschema.UnmarshalJSON(bytes.NewReader(data[4 : 4+binary.LittleEndian.Uint32(data)]))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(head); err != nil {
		t.Error(err)
	}
}

func TestATreeOfAMillionIsNoJSON(t *testing.T) {
	r := start(t, Limits{})
	r.fill("default", "")
	if resp, data := r.do(http.MethodGet, "/api/v1/tree?max_nodes=200001", "", nil); resp.StatusCode != http.StatusBadRequest || !bytes.Contains(data, []byte(treeType)) {
		t.Errorf("%s %s", resp.Status, data)
	}
	if resp, data := r.do(http.MethodGet, "/api/v1/tree?max_nodes=1000000", "", nil, "Accept", treeType); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s", resp.Status, data)
	}
}

func TestScaleIsTheLargestThatDivides(t *testing.T) {
	for _, c := range []struct {
		columns [][]int64
		want    int64
	}{
		{[][]int64{{20, 0, 30}, {0, 50}}, 10},
		{[][]int64{{7}, {}}, 7},
		{[][]int64{{10, 15}, {4}}, 1},
		{nil, 1},
		{[][]int64{{0}}, 1},
	} {
		if got := scaleOf(c.columns...); got != c.want {
			t.Errorf("%v: %d, not %d", c.columns, got, c.want)
		}
	}
}

func TestHiddenWeightIsWhatTheChildrenLackedOf(t *testing.T) {
	tree := &store.Tree{Parent: []int32{-1, 0, 1, 0}, Self: []int64{1, 2, 4, 0}, Total: []int64{20, 10, 4, 3}}
	if got := hiddenWeights(tree); !reflect.DeepEqual(got, []int64{6, 4, 0, 3}) {
		t.Errorf("%v", got)
	}
}
