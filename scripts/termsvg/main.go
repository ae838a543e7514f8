// Command termsvg draws captured terminal output as an SVG: the pictures of the
// README are made from what the program really printed.
//
//	termsvg TITLE < output.ansi > picture.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	charWidth  = 8.4
	lineHeight = 18.0
	padding    = 16.0
	barHeight  = 30.0
	// Commands to copy are never broken in a terminal; in a picture nobody
	// copies them.
	maxColumns = 116
)

// palette holds the sixteen colours of a terminal on a dark ground.
var palette = [16]string{
	"#1e2127", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
	"#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
}

type style struct {
	bold, faint, underline bool
	colour                 string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: termsvg TITLE < output.ansi > picture.svg")
		os.Exit(2)
	}
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		out := bufio.NewWriter(os.Stdout)
		draw(out, os.Args[1], string(text))
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "termsvg:", err)
		os.Exit(1)
	}
}

func draw(w io.Writer, title, text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 40
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, maxColumns, "…")
		columns = max(columns, ansi.StringWidth(lines[i]))
	}
	width := 2*padding + charWidth*float64(columns)
	height := barHeight + 2*padding + lineHeight*float64(len(lines))
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	p(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">`+"\n", width, height, width)
	p(`<rect width="%.0f" height="%.0f" rx="8" fill="#1e2127"/>`+"\n", width, height)
	for i, c := range []string{palette[1], palette[3], palette[2]} {
		p(`<circle cx="%d" cy="15" r="5" fill="%s"/>`, 18+18*i, c)
	}
	p("\n"+`<text x="%.0f" y="20" fill="#abb2bf" text-anchor="middle">%s</text>`+"\n", width/2, html.EscapeString(title))
	var s style
	for i, l := range lines {
		y := barHeight + padding + lineHeight*(float64(i)+0.75)
		s = drawLine(p, l, y, s)
	}
	p("</svg>\n")
}

// drawLine places every run of one style at its column, so that the picture
// stays aligned whatever font the reader has.
func drawLine(p func(string, ...any), line string, y float64, s style) style {
	column, start := 0, 0
	var run strings.Builder
	flush := func() {
		if strings.TrimSpace(run.String()) != "" {
			n := column - start
			p(`<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
				padding+charWidth*float64(start), y, charWidth*float64(n), s.attributes(), html.EscapeString(run.String()))
		}
		run.Reset()
		start = column
	}
	var state byte
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		state = next
		if width > 0 {
			run.WriteString(seq)
			column += width
		} else if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			flush()
			s = s.apply(seq[2 : len(seq)-1])
		}
		line = line[n:]
	}
	flush()
	return s
}

func (s style) attributes() string {
	fill := s.colour
	if fill == "" {
		fill = "#d7dae0"
	}
	out := fmt.Sprintf(` fill="%s"`, fill)
	if s.bold {
		out += ` font-weight="bold"`
	}
	if s.faint {
		out += ` opacity="0.65"`
	}
	if s.underline {
		out += ` text-decoration="underline"`
	}
	return out
}

// apply reads the parameters of one SGR sequence; the program uses the sixteen
// colours only.
func (s style) apply(params string) style {
	for f := range strings.SplitSeq(params, ";") {
		n := 0
		_, _ = fmt.Sscan(f, &n) // an empty parameter is 0: reset
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 4:
			s.underline = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 24:
			s.underline = false
		case n >= 30 && n <= 37:
			s.colour = palette[n-30]
		case n == 39:
			s.colour = ""
		case n >= 90 && n <= 97:
			s.colour = palette[n-90+8]
		}
	}
	return s
}
