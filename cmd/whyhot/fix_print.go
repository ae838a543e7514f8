package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"whyhot/internal/explain/fix"
	"whyhot/internal/report/term"
)

// printFix writes the diff on standard output, so that `patch` can read it, and
// what is to be said of it as comment lines before it.
func printFix(cmd *cobra.Command, p fix.Proposal, root, cwd string) error {
	out := term.New(cmd.OutOrStdout(), os.Environ())
	strong := lipgloss.NewStyle().Bold(true)
	if p.What != "" {
		out.Line(strong.Render("# "+p.Kind), ": ", term.Clean(p.What))
	}
	if p.Effect != "" {
		out.Line("# effect: ", term.Clean(p.Effect))
	}
	if covers := p.Covers.String(); covers != "" && p.Sound() {
		out.Line("# covers: ", covers)
	}
	for i := range p.Others {
		q := &p.Others[i]
		text := q.What
		if covers := q.Covers.String(); covers != "" {
			text += " (covers " + covers + ")"
		}
		out.Line("# another way: --kind ", q.Kind, ": ", term.Clean(text))
	}
	list := func(title string, remarks []fix.Remark, numbered bool) {
		if len(remarks) == 0 {
			return
		}
		out.Line("# ", title)
		for i, r := range remarks {
			mark := "-"
			if numbered {
				mark = fmt.Sprintf("%d.", i+1)
			}
			out.Line("#   ", mark, " ", term.Clean(r.Text), placeOf(r, root))
		}
	}
	list("not applied, because", p.Refusals, false)
	list("right if (--assume)", p.Assumptions, true)
	list("caveats", p.Notes, false)
	byHand := make([]fix.Remark, 0, len(p.Advice))
	for _, step := range p.Advice {
		byHand = append(byHand, fix.Remark{Text: step})
	}
	list("by hand", byHand, false)
	if root != cwd && p.Sound() {
		out.Line("# apply it in ", term.Clean(root), ": git apply PATCH, or patch -p1 < PATCH")
	}
	if err := out.Err(); err != nil {
		return err
	}
	return printDiff(cmd.OutOrStdout(), fix.Diff(p.Changes, root), out.Width != term.Unlimited)
}

// printDiff leaves every byte of the diff as it is; on a terminal it has colours.
func printDiff(w io.Writer, diff string, terminal bool) error {
	if !terminal {
		_, err := io.WriteString(w, diff)
		return err
	}
	w = term.Output(w, os.Environ())
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if _, err := fmt.Fprintln(w, diffStyle(line).TabWidth(lipgloss.NoTabConversion).Render(line)); err != nil {
			return err
		}
	}
	return nil
}

func placeOf(r fix.Remark, root string) string {
	if r.Line == 0 {
		return ""
	}
	name := r.File
	if rel, err := filepath.Rel(root, r.File); err == nil && !strings.HasPrefix(rel, "..") {
		name = rel
	}
	return fmt.Sprintf(" (%s:%d)", term.Clean(name), r.Line)
}

func diffStyle(line string) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return s.Bold(true)
	case strings.HasPrefix(line, "+"):
		return s.Foreground(lipgloss.Green)
	case strings.HasPrefix(line, "-"):
		return s.Foreground(lipgloss.Red)
	case strings.HasPrefix(line, "@@"):
		return s.Foreground(lipgloss.Cyan)
	}
	return s
}
