package rebuild

import (
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/variant"
)

// Baseline is where the unchanged program is.
func (w *Workshop) Baseline() *variant.Built {
	return &variant.Built{Dir: w.base.dir(), Env: w.place(w.base)}
}

// Built is the place of a build that Prepare or Add was given, nil of another.
func (w *Workshop) Built(b *variant.Build) *variant.Built { return w.made[b.Name()] }

// Command is the measured command in a place: paths of the original become those
// of the copy, and relative paths that lead out of it absolute ones, since nothing lies
// beside a copy.
func (w *Workshop) Command(b *variant.Built) []string {
	to := b.Dir
	if w.rel != "." {
		to = filepath.Clean(strings.TrimSuffix(b.Dir, w.rel))
	}
	out := make([]string, len(w.o.Run))
	for i, word := range w.o.Run {
		out[i] = tree.Rebase(w.reachOut(word), w.source.Moves(to))
	}
	return out
}

// reachOut makes a path of the command absolute that is relative and leads out of the
// tree, where there is a directory for it: ../input, --in=../input.
func (w *Workshop) reachOut(word string) string {
	before, path := "", word
	if name, value, ok := strings.Cut(word, "="); ok {
		before, path = name+"=", value
	}
	if filepath.IsAbs(path) || !strings.Contains(path, "..") {
		return word
	}
	root := w.source.Root()
	whole := filepath.Join(root, w.rel, path)
	if in, err := filepath.Rel(root, whole); err != nil || in != ".." && !strings.HasPrefix(in, "../") {
		return word
	}
	if info, err := os.Stat(filepath.Dir(whole)); err != nil || !info.IsDir() {
		return word
	}
	return before + whole
}

// Layouts are n layouts of a build that is made, nil for the baseline's: the
// build as it is, and others that Add has to make. Those that cannot be built, or
// are the same program again, are left out.
func (w *Workshop) Layouts(b *variant.Build, n int) []variant.Layout {
	out := []variant.Layout{{Name: "as it is"}}
	for _, l := range variant.Alignments(b, n-1) {
		built := w.Built(l.Build)
		if built == nil || built.Failed != "" || built.Same != "" {
			continue
		}
		// The place may be in the words of the command, too.
		out = append(out, variant.Layout{Name: l.Name, Dir: built.Dir, Env: built.Env, Command: w.Command(built)})
	}
	return out
}
