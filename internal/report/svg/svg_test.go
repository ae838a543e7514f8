package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func sample(t *testing.T) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/opt/demo/demo"})
	libc := b.Mapping(profile.Mapping{Path: "/usr/lib/libc.so.6"})
	loc := func(name string, m profile.MappingID, k profile.Kind, line int32) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: "demo.c", StartLine: line, Mapping: m, Kind: k})
		return b.Location(m, 0, k, profile.Line{Function: f})
	}
	start := loc("main", app, profile.KindNative, 1)
	work := loc("work<&'\">", app, profile.KindNative, 0)
	alloc := loc("malloc", libc, profile.KindNative, 0)
	bell := loc("bell\x07", app, profile.KindNative, 0)
	for _, s := range []struct {
		n     int64
		stack []profile.LocationID
	}{{600, []profile.LocationID{alloc, work, start}}, {300, []profile.LocationID{work, start}}, {99, []profile.LocationID{bell, start}}, {1, []profile.LocationID{start}}} {
		b.Sample(profile.Sample{Stack: b.Stack(s.stack), Count: s.n, Value: s.n})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})
}

func draw(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Flame(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	p := sample(t)
	for name, in := range map[string]Input{
		"callers.svg": {Title: "demo <1>", Profile: p, Tree: view.BuildTree(p, view.TreeOptions{})},
		"callees.svg": {Title: "demo", Profile: p, Tree: view.BuildTree(p, view.TreeOptions{FromLeaf: true}), Width: 600, RootBelow: true},
	} {
		got := draw(t, in)
		if *update {
			if err := os.WriteFile("testdata/"+name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; look at it and run the test with -update", name)
		}
	}
}

// rects reads the picture as a viewer would and returns the frames' places.
func rects(t *testing.T, text string) (frames [][4]float64, titles []string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	inFrame := false
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return frames, titles
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			inFrame = inFrame || e.Name.Local == "g"
			if inFrame && e.Name.Local == "rect" {
				var r [4]float64
				for i, key := range []string{"x", "y", "width", "height"} {
					for _, a := range e.Attr {
						if a.Name.Local == key {
							r[i], err = strconv.ParseFloat(a.Value, 64)
							if err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				frames = append(frames, r)
			}
			if inFrame && e.Name.Local == "title" {
				s, _ := dec.Token()
				titles = append(titles, string(s.(xml.CharData)))
			}
		case xml.EndElement:
			if e.Name.Local == "g" {
				inFrame = false
			}
		}
	}
}

func TestFramesLieInsideAndShowTheirShare(t *testing.T) {
	p := sample(t)
	for _, below := range []bool{false, true} {
		frames, titles := rects(t, draw(t, Input{Profile: p, Tree: view.BuildTree(p, view.TreeOptions{}), Width: 1020, RootBelow: below}))
		if len(frames) != 5 {
			t.Fatalf("%d frames, want 5", len(frames))
		}
		root := frames[0]
		for i, f := range frames {
			if f[0] < 10 || f[0]+f[2] > 1010.1 {
				t.Errorf("%q leaves the picture: %v", titles[i], f)
			}
			if i > 0 && (f[1] < root[1]) != below {
				t.Errorf("root below %v, but root at %v and %q at %v", below, root[1], titles[i], f[1])
			}
		}
		if w := frames[3][2]; w < 599 || w > 600 {
			t.Errorf("malloc has 60%% of the samples and is %v of 1000 wide", w)
		}
		if !strings.Contains(titles[3], "60.0% ± 3.0") {
			t.Errorf("tooltip %q", titles[3])
		}
		if !strings.Contains(titles[2], "work<&'\">") {
			t.Errorf("tooltip %q lacks the whole name", titles[2])
		}
	}
}

func TestThinFramesAreLeftOut(t *testing.T) {
	b := profile.NewBuilder()
	f := func(name string) profile.LocationID {
		return b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: name})})
	}
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{f("wide")}), Count: 1e6, Value: 1e6})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{f("thin")}), Count: 1, Value: 1})
	p := b.Build(profile.Meta{})
	if text := draw(t, Input{Profile: p, Tree: view.BuildTree(p, view.TreeOptions{})}); strings.Contains(text, "thin") {
		t.Error("a frame of a thousandth of a pixel is in the picture")
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	empty := profile.NewBuilder().Build(profile.Meta{})
	p := sample(t)
	for name, in := range map[string]Input{
		"no profile": {},
		"no samples": {Profile: empty, Tree: view.BuildTree(empty, view.TreeOptions{})},
		"too narrow": {Profile: p, Tree: view.BuildTree(p, view.TreeOptions{}), Width: 20},
	} {
		if err := Flame(&bytes.Buffer{}, in); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
