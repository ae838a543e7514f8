package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/finding/price"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/html"
	"whyhot/internal/report/svg"
	"whyhot/internal/report/term"
)

// The forms that flame writes.
const (
	asHTML = "html"
	asSVG  = "svg"
)

type flameFlags struct {
	load      loadFlags
	prices    priceFlags
	filter    filterFlags
	out       string
	format    string
	reverse   bool
	split     string
	by        string
	title     string
	lines     bool
	rootBelow bool
	width     int
	cut       string // how much of the profile has no callers
}

func newFlameCmd() *cobra.Command {
	var f flameFlags
	cmd := &cobra.Command{
		Use:   "flame FILE | --from URL",
		Short: "Draw a flame graph as an interactive page or an image",
		Long: `Writes the flame graph of a profile as one self-contained file.

An HTML page is interactive: zoom, search, the reverse graph, the callers and
callees of any function, and the table of functions; ? in the page lists the
keys. An SVG is a static picture. The suffix of OUT decides.`,
		Example: `  whyhot flame cpu.pb.gz                      # writes cpu.html
  whyhot flame perf.data -o flame.svg --process nginx
  whyhot flame stacks.folded -o reverse.html --reverse
  whyhot flame - -o - --format svg < stacks.folded > flame.svg
  whyhot flame --from http://localhost:7878 --service nginx -o nginx.html
  whyhot flame --from http://localhost:7878 --where 'service="web"' --by pod -o pods.html`,
		Args: func(cmd *cobra.Command, args []string) error { return f.load.args(0)(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := f.load.source(args)
			return runFlame(cmd, path, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write to `OUT` (.html or .svg; - is standard output) instead of FILE's name with .html")
	flags.StringVar(&f.format, "format", "", "html or svg, whatever OUT is called")
	flags.BoolVar(&f.reverse, "reverse", false, "inverted: start from the code that ran, not from the outermost callers")
	flags.StringVar(&f.split, "split", "", "one tree for each process or thread, side by side; as --by")
	flags.StringVar(&f.by, "by", "", "one tree for each value of a label, side by side: process, thread, pod, host or any other `KEY`")
	flags.StringVar(&f.title, "title", "", "title of the page or picture (default: the profiled command, or FILE)")
	flags.BoolVar(&f.lines, "lines", false, "distinguish calls by source line, too")
	flags.BoolVar(&f.rootBelow, "root-below", false, "draw the root at the bottom")
	flags.IntVar(&f.width, "width", 1200, "width of an SVG in `PIXELS`")
	f.prices.add(cmd)
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.load.completeBy(cmd, profile.LabelProcess, profile.LabelThread)
	f.filter.add(cmd)
	f.filter.addOwn(cmd)
	return cmd
}

func runFlame(cmd *cobra.Command, path string, f flameFlags) error {
	out, format, err := f.target(path)
	if err != nil {
		return err
	}
	opt, err := f.tree(format)
	if err != nil {
		return err
	}
	prices, err := f.prices.read(cmd)
	if err != nil {
		return err
	}
	f.load.by = opt.RootLabel
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	if p.Total() <= 0 {
		return fmt.Errorf("the values of the samples add up to %d: a flame graph needs a positive total", p.Total())
	}
	rate, err := f.prices.rate(cmd, prices, p)
	if err != nil {
		return err
	}
	if f.title == "" {
		f.title = profileTitle(p, path)
	}
	opt.MinWeight = leastShown(p)
	if f.cut = term.CutText(all); f.cut != "" && format == asSVG { // a page says it itself
		printOnce(cmd.ErrOrStderr(), []string{f.cut})
	}
	draw := func(w io.Writer) error {
		defer showBusy(cmd.ErrOrStderr(), "drawing")()
		return f.draw(w, format, p, view.BuildTree(p, opt), rate)
	}
	if out == "-" {
		// Into memory first: a picture that fails half-way must not go down the pipe.
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			return err
		}
		_, err := b.WriteTo(cmd.OutOrStdout())
		return err
	}
	if err := wholefile.Write(out, 0o644, func(w *os.File) error { return draw(w) }); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), "flame graph:", out)
	return err
}

// draw takes a tree from callers for a page, whichever view it opens first, and
// a tree of the wanted direction for a picture.
func (f *flameFlags) draw(w io.Writer, format string, p *profile.Profile, tree *view.Tree, rate *price.Rate) error {
	if format == asSVG {
		return svg.Flame(w, svg.Input{Title: f.title, Profile: p, Tree: tree, Width: f.width, RootBelow: f.rootBelow})
	}
	in := html.FlameInput{Title: f.title, Profile: p, Tree: tree, FromLeaf: f.reverse, RootBelow: f.rootBelow, Rate: rate}
	if f.cut != "" {
		in.Notes = append(in.Notes, strings.ToUpper(f.cut[:1])+f.cut[1:]+".")
	}
	if on := f.filter.String(); on != "" {
		in.Notes = append(in.Notes, "Only samples that match "+on+". Shares are of these.")
	}
	return html.Flame(w, in)
}

// target decides where to write and what.
func (f *flameFlags) target(path string) (out, format string, err error) {
	out = f.out
	format = strings.ToLower(f.format)
	if format != "" && format != asHTML && format != asSVG {
		return "", "", fmt.Errorf("--format %s: must be html or svg", f.format)
	}
	if out == "" {
		extension := format
		if extension == "" {
			extension = asHTML
		}
		name := stem(path)
		if f.load.remote.on() {
			name = strings.Join(append([]string{"flame"}, f.load.remote.service...), "-")
			name = strings.Map(func(r rune) rune {
				if r == '/' || r < ' ' {
					return '_'
				}
				return r
			}, name)
		}
		out = name + "." + extension
	}
	if format != "" {
		return out, format, nil
	}
	switch ext := strings.ToLower(filepath.Ext(out)); {
	case ext == ".html", ext == ".htm", out == "-":
		return out, asHTML, nil
	case ext == ".svg":
		return out, asSVG, nil
	}
	return "", "", fmt.Errorf("-o %s: the name must end in .html or .svg, or give --format", out)
}

// stem is the name of the profile without folder and without the endings that
// say what it is.
func stem(path string) string {
	if path == "-" {
		return "flame"
	}
	name := filepath.Base(path)
	for _, ext := range []string{".gz", ".zst", ".pb", ".pprof", ".prof", ".data", ".folded", ".txt", ".raw"} {
		if short := strings.TrimSuffix(name, ext); short != "" {
			name = short
		}
	}
	return name
}

func (f *flameFlags) tree(format string) (view.TreeOptions, error) {
	opt := view.TreeOptions{Lines: f.lines, FromLeaf: f.reverse && format == asSVG} // the page turns the tree round itself
	switch f.split {
	case "", profile.LabelProcess, profile.LabelThread:
		opt.RootLabel = f.split
	default:
		return opt, fmt.Errorf("--split %s: must be process or thread; --by takes any label", f.split)
	}
	switch {
	case f.by == "":
	case f.split != "":
		return opt, errors.New("--by and --split say the same: give one of them")
	case !label.Valid(f.by):
		return opt, fmt.Errorf("invalid --by %q: must be the key of a label, such as process, thread, pod or host", f.by)
	default:
		opt.RootLabel = label.Name(f.by)
	}
	if f.width < 200 || f.width > 20_000 {
		return opt, errors.New("--width: must be between 200 and 20000 pixels")
	}
	return opt, nil
}
