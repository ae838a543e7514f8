package rebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"whyhot/internal/trial/rebuild/pgo"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// canCount says whether the build's compilers can make programs that count.
func (w *Workshop) canCount(ctx context.Context) error {
	for _, c := range w.users {
		if err := pgo.Check(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// feedbackReady says, before anything is built, what a build with feedback lacks.
func (w *Workshop) feedbackReady(ctx context.Context, b *variant.Build) (err error) {
	switch {
	case b.Profile != "":
		if b.Profile, err = filepath.Abs(b.Profile); err != nil {
			return err
		}
		family, err := pgo.FamilyOf(b.Profile)
		if err == nil && !slices.Contains(w.families, family) {
			return fmt.Errorf("pgo=%s is a profile for %s, which this build does not call", filepath.Base(b.Profile), family)
		}
		return err
	case w.trained(b).Sampled:
		switch {
		case w.o.Feedback == nil:
			return errors.New("pgo=sample: no sampler works here")
		case !slices.ContainsFunc(w.families, pgo.ReadsSamples):
			return fmt.Errorf("pgo=sample: the build calls %s, which does not read samples; go and clang do", w.families)
		}
	case b.PGO:
		if err := w.canCount(ctx); err != nil {
			return fmt.Errorf("--pgo: %w", err)
		}
	}
	return nil
}

// trained is a build as it is trained: Go has no instrumented programs, so its PGO learns
// from samples.
func (w *Workshop) trained(b *variant.Build) *variant.Build {
	if !b.PGO || b.Sampled || !slices.Contains(w.families, wrapper.Go) {
		return b
	}
	sampled := *b
	sampled.Label, sampled.Sampled = b.Name(), true
	return &sampled
}

// trainBySamples builds a program whose code is found again, records the training, and
// leaves what the next build reads.
func (w *Workshop) trainBySamples(ctx context.Context, s site, b *variant.Build, report func(string)) error {
	report("copy")
	if err := w.copy(ctx, s, b.Patches); err != nil {
		return err
	}
	report("instrument")
	if err := w.install(s, s.log("instrument"), b, instrumented); err != nil {
		return err
	}
	if err := w.run(ctx, s, b.Name(), "instrument", w.o.Command, nil, ""); err != nil {
		return err
	}
	report("train")
	failed := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{Side: b.Name(), Step: "training", Why: err.Error()}
	}
	program, err := w.program(s)
	if err != nil {
		return failed(err)
	}
	for _, f := range w.families {
		if !pgo.ReadsSamples(f) {
			continue
		}
		file := pgo.SampleFile(f, s.counts())
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("samples: %w", err)
		}
		used, err := w.o.Feedback(ctx, w.sampleJob(s, program), f, file)
		if err != nil {
			return failed(err)
		}
		w.noteOf(b, "learnt from %d samples of the training", used)
	}
	if err := tree.Remove(s.tree); err != nil {
		return fmt.Errorf("removing the copy that was sampled: %w", err)
	}
	return nil
}
