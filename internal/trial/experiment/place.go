package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/variant"
)

// place gives baseline and variants the directories that they run in, so that what
// they write to files does not meet: those that are named, or copies of the current
// one.
func (e *experiment) place(ctx context.Context) error {
	r, p := e.request, &e.plan
	if len(r.Places) == 0 && !r.Copies {
		return nil
	}
	if r.built() {
		return errors.New("--dir and --copy are for commands that run as they are: what is built has a copy of the tree for each variant already")
	}
	if r.Copies {
		if err := e.copies(ctx); err != nil {
			return err
		}
	}
	base, err := variant.Places(p.Variants, r.Places)
	if err != nil {
		return err
	}
	if base != "" {
		p.Dir = r.path(base)
	}
	for _, dir := range append(dirsOf(p.Variants), &p.Dir) {
		if *dir == "" {
			continue
		}
		*dir = r.path(*dir)
		if info, err := os.Stat(*dir); err != nil || !info.IsDir() {
			return fmt.Errorf("invalid --dir: %s is not a directory", *dir)
		}
	}
	return nil
}

func dirsOf(vs []variant.Variant) []*string {
	out := make([]*string, len(vs))
	for i := range vs {
		out[i] = &vs[i].Dir
	}
	return out
}

// copies makes a copy of the current directory for baseline and each variant.
func (e *experiment) copies(ctx context.Context) error {
	from := e.request.path(".")
	source, err := tree.Scan(ctx, from, tree.Options{WithVCS: true})
	if err != nil {
		return fmt.Errorf("--copy: %w", err)
	}
	dir, err := os.MkdirTemp("", "whyhot-copies-")
	if err != nil {
		return fmt.Errorf("--copy: %w", err)
	}
	e.onClose(func() { _ = tree.Remove(dir) })
	places := append([]*string{&e.plan.Dir}, dirsOf(e.plan.Variants)...)
	if err := source.Room(dir, len(places)); err != nil {
		return fmt.Errorf("--copy: %w", err)
	}
	for i, place := range places {
		*place = filepath.Join(dir, fmt.Sprintf("%02d", i))
		if err := source.Copy(ctx, *place, nil); err != nil {
			return fmt.Errorf("--copy: %w", err)
		}
	}
	return nil
}
