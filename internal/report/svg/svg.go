// Package svg draws a flame graph as one static picture that any viewer of SVG
// shows: no script, no style sheet, no fonts of its own.
//
// It takes a call tree of package view, from callers or from callees, and gives
// an SVG 1.1 document. Frames too thin to see are left out; the whole name,
// binary and shares of a frame are in its title, which viewers show as a
// tooltip. It must never import ingest, symbol or a command.
package svg

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// Input is what to draw.
type Input struct {
	Title   string
	Profile *profile.Profile
	Tree    *view.Tree // of Profile, either way round
	// Width of the picture in pixels; 0 means 1200.
	Width int
	// RootBelow puts the root at the bottom: a flame instead of an icicle.
	RootBelow bool
}

// All lengths in pixels.
const (
	defaultWidth = 1200
	margin       = 10
	rowHeight    = 17
	fontSize     = 12
	letterWidth  = 7.3 // of the generic monospace font at fontSize, in most viewers
	thinnest     = 0.4 // frames below this width are left out
	labelled     = 6   // letters a frame must have room for to get a label
	headHeight   = 58
	legendHeight = 26
)

// Flame writes the picture.
func Flame(w io.Writer, in Input) error {
	if in.Profile == nil || in.Tree == nil || len(in.Tree.Nodes) == 0 {
		return errors.New("a picture needs a profile and its call tree")
	}
	root := &in.Tree.Nodes[0]
	if root.Total <= 0 {
		return fmt.Errorf("the profile's values add up to %d: there are no widths to draw", root.Total)
	}
	if in.Width <= 0 {
		in.Width = defaultWidth
	}
	if in.Width < 200 {
		return fmt.Errorf("a width of %d pixels is too small: take at least 200", in.Width)
	}
	d := drawing{
		Input: in, out: bufio.NewWriter(w), events: view.Events(in.Profile),
		scale: float64(in.Width-2*margin) / float64(root.Total),
	}
	d.place()
	d.head()
	for i := range d.boxes {
		d.frame(&d.boxes[i])
	}
	d.legend()
	d.printf("</svg>\n")
	if err := d.out.Flush(); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

type box struct {
	node  int
	left  float64
	width float64
}

type drawing struct {
	Input

	out    *bufio.Writer
	events int64
	scale  float64
	boxes  []box
	levels int
	shown  map[origin.Origin]bool
}

// place finds the left edge of every node that is wide enough to draw.
// Children stand side by side from their parent's left, in the tree's order.
func (d *drawing) place() {
	nodes := d.Tree.Nodes
	cursor := make([]int64, len(nodes))
	d.shown = map[origin.Origin]bool{}
	for i := range nodes {
		n := &nodes[i]
		left := int64(0)
		if n.Parent >= 0 {
			left = cursor[n.Parent]
			cursor[n.Parent] += n.Total
		}
		cursor[i] = left
		width := float64(n.Total) * d.scale
		if width < thinnest {
			continue
		}
		d.boxes = append(d.boxes, box{i, margin + float64(left)*d.scale, width})
		d.levels = max(d.levels, int(n.Depth)+1)
	}
}

// printf leaves errors to the Flush of the buffered writer.
func (d *drawing) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.out, format, args...) }

func (d *drawing) head() {
	height := headHeight + d.levels*rowHeight + legendHeight + margin
	d.printf(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace" font-size="%d">`+"\n",
		d.Width, height, d.Width, height, fontSize)
	d.printf("<title>%s</title>\n", escape(d.Title))
	d.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>` + "\n")
	room := int(float64(d.Width-2*margin) / (letterWidth * 16 / fontSize))
	d.printf(`<text x="%d" y="26" font-size="16" font-weight="bold" fill="#1d1c1a">%s</text>`+"\n", margin, escape(symname.Shorten(d.Title, room)))
	d.printf(`<text x="%d" y="46" fill="#66625b">%s</text>`+"\n", margin, escape(d.facts()))
}

func (d *drawing) facts() string {
	meta := &d.Profile.Meta
	s := quantity.Samples(d.Profile.Count())
	if meta.Lost > 0 {
		s += ", " + quantity.Count(int64(meta.Lost)) + " lost"
	}
	if meta.ValueType.Type != "" && meta.ValueType.Type != "samples" {
		s += ", " + quantity.Value(d.Profile.Total(), meta.ValueType) + " " + meta.ValueType.Type
	}
	return s
}

func (d *drawing) frame(b *box) {
	n := &d.Tree.Nodes[b.node]
	name, library, from := d.describe(n)
	d.shown[from] = true
	row := int(n.Depth)
	if d.RootBelow {
		row = d.levels - 1 - row
	}
	y := headHeight + row*rowHeight
	gap := 0.0
	if b.width > 2 {
		gap = 0.6
	}
	d.printf(`<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`,
		escape(d.tooltip(n, name, library)), b.left, y, b.width-gap, rowHeight-1, from.Color(d.shadeKey(n, library), name))
	if letters := int((b.width - 6) / letterWidth); letters >= labelled {
		d.printf(`<text x="%.1f" y="%d" fill="#1d1c1a">%s</text>`, b.left+3, y+12, escape(symname.Shorten(name, letters)))
	}
	d.printf("</g>\n")
}

// shadeKey chooses the hue within an origin: the binary, or for interpreted
// code, which has none of its own, the file.
func (d *drawing) shadeKey(n *view.Node, library string) string {
	if library == "" && n.Label == "" && n.Parent >= 0 {
		library = d.Profile.Function(n.Function).File
	}
	return path.Base(library)
}

func (d *drawing) describe(n *view.Node) (name, library string, from origin.Origin) {
	switch {
	case n.Parent < 0:
		return "all", "", origin.Group
	case n.Label != "":
		return n.Label, "", origin.Group
	}
	return view.Name(d.Profile, n.Function), d.Profile.Mapping(d.Profile.Function(n.Function).Mapping).Path, ownline.Origin(d.Profile, n.Function)
}

func (d *drawing) tooltip(n *view.Node, name, library string) string {
	all := float64(d.Tree.Nodes[0].Total)
	share := float64(n.Total) / all
	lines := []string{name}
	if library != "" {
		lines = append(lines, library)
	}
	if f := d.Profile.Function(n.Function); n.Label == "" && f.File != "" {
		lines = append(lines, sourceLine(f, n.Line))
	}
	lines = append(lines, fmt.Sprintf("%s %s, own %s", percent.Column(share), percent.Error(finding.ShareError(share, d.events)), percent.Column(float64(n.Self)/all)))
	return strings.Join(lines, "\n")
}

func sourceLine(f *profile.Function, line int32) string {
	if line == 0 {
		line = f.StartLine
	}
	if line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, line)
}

// legend explains the colours that were used.
func (d *drawing) legend() {
	x := float64(margin)
	y := headHeight + d.levels*rowHeight + 8
	for o := range origin.Group {
		if !d.shown[o] {
			continue
		}
		d.printf(`<rect x="%.0f" y="%d" width="11" height="11" fill="%s"/><text x="%.0f" y="%d" fill="#66625b">%s</text>`+"\n",
			x, y, o.Color("", ""), x+16, y+10, escape(o.Label()))
		x += 16 + letterWidth*float64(len(o.Label())) + 22
	}
}

// escape also replaces what XML cannot hold at all, such as control characters.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
