package rebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/pgo"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/variant"
)

// train makes the instrumented program, runs it and leaves the counts. The tree
// is thrown away: the next build takes its place, since GCC looks for counts
// under the path of the object that was built.
func (w *Workshop) train(ctx context.Context, s site, b *variant.Build, report func(string)) error {
	report("copy")
	if err := w.copy(ctx, s, b.Patches); err != nil {
		return err
	}
	report("instrument")
	if err := w.install(s, s.log("instrument"), b, instrumented); err != nil {
		return err
	}
	if err := os.MkdirAll(s.counts(), 0o755); err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	if err := w.run(ctx, s, b.Name(), "instrument", w.o.Command, nil, ""); err != nil {
		return err
	}
	if err := pgo.Forget(s.counts()); err != nil {
		return err
	}
	report("train")
	if err := w.runTraining(ctx, s, b.Name(), "train"); err != nil {
		return err
	}
	counted := 0
	var last error
	for _, c := range w.users {
		n, err := pgo.Merge(ctx, c, s.counts())
		if err != nil {
			last = err
			continue
		}
		counted += n.Files
	}
	if counted == 0 {
		return &Error{Side: b.Name(), Step: "training", Why: last.Error(), Log: s.log("train"), Tail: tailOf(s.log("train"))}
	}
	if err := tree.Remove(s.tree); err != nil {
		return fmt.Errorf("removing the instrumented copy: %w", err)
	}
	return nil
}

// runTraining runs the training commands, or the measured one.
func (w *Workshop) runTraining(ctx context.Context, s site, side, step string) error {
	for _, line := range w.o.Train {
		if err := w.run(ctx, s, side, step, line, nil, ""); err != nil {
			return err
		}
	}
	if len(w.o.Train) > 0 {
		return nil
	}
	// There are programs whose usual exit status is not 0 (grep without a match, a
	// solver that tells its answer by it): it is right when the program as it is ends
	// with the same.
	line := shellwords.Join(w.o.Run)
	err := w.run(ctx, s, side, step, line, nil, w.o.Stdin)
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.end.Code == 0 {
		return err
	}
	usual, ok := errors.AsType[*Error](w.run(ctx, w.base, baseline, "usual", line, nil, w.o.Stdin))
	if ok && usual.end == failed.end {
		return nil
	}
	return err
}

// noteFit says how the counts met the sources.
func (w *Workshop) noteFit(s site, b *variant.Build) error {
	fit, err := pgo.ReadFit(s.log("build"))
	if err != nil {
		return err
	}
	if fit.Missing > 0 {
		w.noteOf(b, "the training run never entered %d of the sources, which are optimised for size or as without counts", fit.Missing)
	}
	if fit.Mismatched > 0 {
		w.noteOf(b, "counts of %d functions do not fit the sources and were not used", fit.Mismatched)
	}
	return nil
}

// layOut rewrites the program of a site with BOLT.
func (w *Workshop) layOut(ctx context.Context, s site, b *variant.Build, report func(string)) error {
	failed := func(step string, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{Side: b.Name(), Step: step, Why: err.Error()}
	}
	program, err := w.program(s)
	if err != nil {
		return failed("bolt", err)
	}
	if err := bolt.CanRewrite(program); err != nil {
		return failed("bolt", err)
	}
	report("profile")
	profile, sampled := s.boltFile("fdata"), false
	if w.o.BoltProfile != BoltSample {
		err = w.countForBolt(ctx, s, b, program, profile)
	}
	if w.o.BoltProfile == BoltSample || err != nil && w.o.BoltProfile == BoltAuto && w.o.Sample != nil && ctx.Err() == nil {
		sampled = true
		first := err
		if err = w.sampleForBolt(ctx, s, program, profile); err != nil && first != nil {
			err = fmt.Errorf("%w (and before, with an instrumented program: %w)", err, first)
		}
	}
	if err != nil {
		return failed("profile for bolt", err)
	}
	report("optimise")
	if err := w.bolt.Optimize(ctx, program, profile, sampled); err != nil {
		return failed("bolt", err)
	}
	return nil
}

// countForBolt puts an instrumented program in the place of the real one while
// the training runs.
func (w *Workshop) countForBolt(ctx context.Context, s site, b *variant.Build, program, to string) (err error) {
	counting := s.boltFile("instrumented")
	if err := w.bolt.Instrument(ctx, program, counting, to); err != nil {
		return err
	}
	kept := s.boltFile("original")
	if err := os.Rename(program, kept); err != nil {
		return fmt.Errorf("instrumented program: %w", err)
	}
	defer func() {
		if e := os.Rename(kept, program); err == nil && e != nil {
			err = fmt.Errorf("instrumented program: %w", e)
		}
	}()
	if err := os.Rename(counting, program); err != nil {
		return fmt.Errorf("instrumented program: %w", err)
	}
	if err := w.runTraining(ctx, s, b.Name(), "profile"); err != nil {
		return err
	}
	_, err = w.bolt.Merge(ctx, to)
	return err
}

func (w *Workshop) sampleForBolt(ctx context.Context, s site, program, to string) error {
	samples, err := w.o.Sample(ctx, w.sampleJob(s, program))
	if err != nil {
		return err
	}
	used, err := bolt.WriteSamples(program, to, samples)
	if err != nil {
		return err
	}
	const fewest = 100
	if used < fewest {
		return fmt.Errorf("only %d samples are in %s: a longer training run is needed", used, filepath.Base(program))
	}
	return nil
}

// sampleJob is the training of a site, to be recorded.
func (w *Workshop) sampleJob(s site, program string) SampleJob {
	job := SampleJob{Program: program, Env: w.environ(s, nil), Dir: s.dir(), Stdin: w.o.Stdin}
	job.Args = w.Command(&variant.Built{Dir: s.dir()})
	if len(w.o.Train) > 0 {
		lines := make([]string, len(w.o.Train))
		for i, t := range w.o.Train {
			lines[i] = tree.Rebase(t, w.source.Moves(s.tree))
		}
		job.Args, job.Stdin = []string{"/bin/sh", "-c", strings.Join(lines, "\n")}, ""
	}
	return job
}

// program is the file that BOLT rewrites: the one that was named, or the first
// in the measured command that is a program of the tree. Libtool's scripts stand
// for the program in .libs.
func (w *Workshop) program(s site) (string, error) {
	if w.o.BoltBinary != "" {
		return filepath.Join(s.tree, w.o.BoltBinary), nil
	}
	for _, word := range w.Command(&variant.Built{Dir: s.dir()}) {
		for part := range strings.FieldsSeq(word) {
			p := strings.Trim(part, `'"`)
			if !filepath.IsAbs(p) {
				p = filepath.Join(s.dir(), p)
			}
			for _, candidate := range []string{filepath.Join(filepath.Dir(p), ".libs", filepath.Base(p)), p} {
				if rel, err := filepath.Rel(s.tree, candidate); err != nil || !filepath.IsLocal(rel) {
					continue
				}
				if target, err := filepath.EvalSymlinks(candidate); err == nil && isProgram(target) {
					return target, nil
				}
			}
		}
	}
	return "", fmt.Errorf("the command %s names no program of the tree: name the one to rewrite with --bolt-binary", strings.Join(w.o.Run, " "))
}
