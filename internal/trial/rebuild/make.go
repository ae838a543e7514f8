package rebuild

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// buildVariant makes one side. Only the end of ctx and trouble of our own are
// errors.
func (w *Workshop) buildVariant(ctx context.Context, b *variant.Build, n int, report func(string)) (*variant.Built, error) {
	b = w.trained(b)
	s, old, err := w.settle(ctx, b, n)
	if err != nil {
		return nil, err
	}
	built := &variant.Built{Dir: s.dir(), Env: w.place(s), Steps: steps(b, w.families, w.lto, w.o.Command)}
	if old != nil {
		report("kept")
		for _, n := range old.Notes {
			w.noteOf(b, "%s", n)
		}
		w.judge(built, s, old.Prints)
		return built, nil
	}
	err = w.make(ctx, s, b, report)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*Error](err); ok {
		_ = w.keepLog(e) // the same error, with another place for its log
		built.Failed = e.Line()
		w.mu.Lock()
		w.Failures = append(w.Failures, e)
		w.mu.Unlock()
		w.drop(s)
		return built, nil
	}
	if err != nil {
		return nil, fmt.Errorf("variant %s: %w", b.Name(), err)
	}
	prints, err := Fingerprints(ctx, s.tree)
	if err != nil {
		return nil, err
	}
	seen, err := wrapper.ReadLog(s.calls("build"))
	if err != nil {
		return nil, err
	}
	w.keep(ctx, s, b, kept{Seen: seen, Prints: prints, Notes: w.notesOf(b)})
	w.judge(built, s, prints)
	return built, nil
}

// judge says where a build made the baseline's programs again.
func (w *Workshop) judge(built *variant.Built, s site, prints map[string]string) {
	if same, n := equal(w.baseline, prints); same {
		built.Same = fmt.Sprintf("the build makes the same code as without the change, in all of %d programs and libraries", n)
		w.drop(s)
	}
}

// notesOf are the notes on one build.
func (w *Workshop) notesOf(b *variant.Build) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ofBuild[b.Name()])
}

// noteOf notes something about one build. What is kept of the build has the note, too.
func (w *Workshop) noteOf(b *variant.Build, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.mu.Lock()
	if w.ofBuild == nil {
		w.ofBuild = map[string][]string{}
	}
	w.ofBuild[b.Name()] = append(w.ofBuild[b.Name()], text)
	w.mu.Unlock()
	w.notef("%s: %s", b.Name(), text)
}

func (w *Workshop) make(ctx context.Context, s site, b *variant.Build, report func(string)) error {
	switch {
	case b.Sampled:
		if err := w.trainBySamples(ctx, s, b, report); err != nil {
			return err
		}
	case b.PGO:
		if err := w.train(ctx, s, b, report); err != nil {
			return err
		}
	}
	report("copy")
	if err := w.copy(ctx, s, b.Patches); err != nil {
		return err
	}
	report("build")
	if err := w.install(s, s.log("build"), b, final); err != nil {
		return err
	}
	if err := w.run(ctx, s, b.Name(), "build", w.o.Command, cargoEnv(b, w.o.Command, final), ""); err != nil {
		return err
	}
	if b.PGO && !b.Sampled {
		if err := w.noteFit(s, b); err != nil {
			return err
		}
	}
	if b.BOLT {
		return w.layOut(ctx, s, b, report)
	}
	return nil
}
