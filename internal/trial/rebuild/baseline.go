package rebuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// buildBaseline makes what all variants are compared with. Its log says which
// compilers the build calls.
func (w *Workshop) buildBaseline(ctx context.Context, variants int) error {
	report := w.reporter(baseline, 0, 1+variants)
	report("copy")
	var old *kept
	var err error
	if w.base, old, err = w.settle(ctx, nil, 0); err != nil {
		return err
	}
	var seen wrapper.Log
	if old != nil {
		report("kept")
		seen, w.plain.Took = old.Seen, old.Took
	} else {
		begin := time.Now()
		if err := w.makeBaseline(ctx, report); err != nil {
			return err
		}
		w.plain.Took = time.Since(begin)
		if seen, err = wrapper.ReadLog(w.base.calls("build")); err != nil {
			return err
		}
	}
	if seen.Compiles == 0 {
		return w.keepLog(w.unused(seen))
	}
	w.plain.Level, w.plain.Has = seen.Level(), seen.Has()
	w.families = w.box.Families(seen)
	for name := range seen.ByTool {
		if c := w.box.ByName(name); c != nil {
			w.users = append(w.users, c)
		}
	}
	if w.o.OnlyDir != "" {
		w.notef("flags reach %d compiled sources in %s; %d others are built as before", seen.Compiles, w.o.OnlyDir, seen.Outside)
	}
	w.noteRun()
	if old != nil {
		w.baseline = old.Prints
		return nil
	}
	if w.baseline, err = Fingerprints(ctx, w.base.tree); err != nil {
		return err
	}
	w.keep(ctx, w.base, nil, kept{Seen: seen, Prints: w.baseline, Took: w.plain.Took})
	return nil
}

func (w *Workshop) makeBaseline(ctx context.Context, report func(string)) error {
	if err := w.copy(ctx, w.base, nil); err != nil {
		return err
	}
	report("build")
	if err := w.install(w.base, w.base.log("build"), &variant.Build{}, final); err != nil {
		return err
	}
	return w.keepLog(w.run(ctx, w.base, baseline, "build", w.o.Command, nil, ""))
}

// unused explains a build that called no wrapper.
func (w *Workshop) unused(seen wrapper.Log) error {
	why := "it called no C, C++, Rust or Go compiler by a name on PATH, so that no flag could reach one. Possible causes: it calls a compiler by its absolute path (let it use CC, CXX or plain names); it found everything already built outside of the tree; it builds elsewhere (a container, a remote or sandboxed build)"
	if seen.Outside > 0 {
		why = fmt.Sprintf("it compiled %d sources, and none of them in %s", seen.Outside, w.o.OnlyDir)
	}
	return &Error{Side: baseline, Step: "build", Why: why, Log: w.base.log("build")}
}

// noteRun says when the measured command does not seem to use the copies.
func (w *Workshop) noteRun() {
	for _, word := range w.o.Run {
		for part := range strings.FieldsSeq(word) {
			p := tree.Rebase(part, w.source.Moves(w.base.tree))
			if !filepath.IsAbs(p) {
				p = filepath.Join(w.base.dir(), p)
			}
			rel, err := filepath.Rel(w.base.tree, p)
			if _, statErr := os.Stat(p); err == nil && statErr == nil && filepath.IsLocal(rel) && rel != "." {
				return
			}
		}
	}
	w.notef("the measured command names no file of the tree: if it runs an installed program, the variants are not what is measured")
}
