// Command pages writes the pages that the browser tests open: a small profile
// with awkward names, a report with every kind of finding, one with none, a
// synthetic tree of a million nodes, or the flame graph of a folded file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"whyhot/internal/finding"
	"whyhot/internal/ingest"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/html"
	"whyhot/internal/report/svg"
)

func main() {
	out := flag.String("out", ".", "folder for the pages")
	nodes := flag.Int("nodes", 0, "write only a synthetic tree of this size, as large.html and large.pb.gz")
	file := flag.String("file", "", "write only the report and picture of this profile, as file.html and file.svg")
	flag.Parse()
	if err := run(*out, *nodes, *file); err != nil {
		fmt.Fprintf(os.Stderr, "pages: %v\n", err)
		os.Exit(1)
	}
}

func run(out string, nodes int, file string) error {
	switch {
	case nodes > 0:
		p, tree := large(nodes)
		return errors.Join(
			write(out, "large.html", func(w io.Writer) error {
				return html.Flame(w, html.FlameInput{Title: "synthetic", Profile: p, Tree: tree})
			}),
			write(out, "large.pb.gz", func(w io.Writer) error { return pprof.Write(w, p) }),
		)
	case file != "":
		return ofFile(out, file)
	}
	p := small()
	flame := html.FlameInput{Title: "awkward names", Profile: p, Tree: view.BuildTree(p, view.TreeOptions{})}
	report := html.ReportInput{
		Flame:   flame,
		Report:  finding.Report{Version: finding.SchemaVersion, Findings: findings(), Notes: []string{"a <note> & more"}},
		Checked: []string{"3 replacement rules", "2 libraries"},
	}
	silent := report
	silent.Report.Findings = nil
	return errors.Join(
		write(out, "flame.html", func(w io.Writer) error { return html.Flame(w, flame) }),
		write(out, "report.html", func(w io.Writer) error { return html.Report(w, report) }),
		write(out, "silent.html", func(w io.Writer) error { return html.Report(w, silent) }),
	)
}

func ofFile(out, file string) error {
	p, err := ingest.Open(context.Background(), file, ingest.Options{})
	if err != nil {
		return fmt.Errorf("reading the profile: %w", err)
	}
	tree := view.BuildTree(p, view.TreeOptions{})
	flame := html.FlameInput{Title: filepath.Base(file), Profile: p, Tree: tree}
	return errors.Join(
		write(out, "file.html", func(w io.Writer) error { return html.Flame(w, flame) }),
		write(out, "file.svg", func(w io.Writer) error {
			return svg.Flame(w, svg.Input{Title: filepath.Base(file), Profile: p, Tree: tree})
		}),
	)
}

func write(out, name string, page func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(out, name))
	if err != nil {
		return fmt.Errorf("making %s: %w", name, err)
	}
	if err := errors.Join(page(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
