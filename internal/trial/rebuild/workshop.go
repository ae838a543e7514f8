package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// Workshop holds the copies that were built.
type Workshop struct {
	Dir   string // everything is in it
	Notes []string
	// Failures are the steps of variants that failed; Built says so too, shortly.
	Failures []*Error

	o        Options
	source   *tree.Source
	rel      string // of Options.Dir in the tree
	box      *wrapper.Toolbox
	families []wrapper.Family
	users    []*wrapper.Compiler // the compilers that the baseline's build called
	lto      *ltoTools
	bolt     *bolt.Tool
	epoch    string
	base     site
	sites    int               // made until now, beside the baseline's
	baseline map[string]string // fingerprints of the baseline's programs
	plain    Plain
	made     map[string]*variant.Built
	ofBuild  map[string][]string // notes on one build, by its name

	cache   *cache.Cache
	content string // hash of the tree, "" until it is asked for
	entries []*cache.Entry
	mu      sync.Mutex // of Notes, ofBuild, Failures, made, entries and calls of Progress, while variants are built
}

const baseline = "baseline"

// Plain is what the build of the baseline tells of builds to come.
type Plain struct {
	Took  time.Duration // copying the tree included
	Level string        // of optimisation of most sources, "" where it compiles no C or C++
	Has   []string      // variants that would change nothing, since the build is made so
	// Families are whose compilers the build calls; NoCounts says why they cannot make
	// programs that count for PGO, "" where they can.
	Families []wrapper.Family
	NoCounts string
}

// Plain is known once Prepare is over, from the cache as well.
func (w *Workshop) Plain(ctx context.Context) Plain {
	out := w.plain
	out.Families = w.families
	if err := w.canCount(ctx); err != nil {
		out.NoCounts = err.Error()
	}
	return out
}

// Prepare builds the baseline and every build that is asked for. An error is
// about the baseline or about all builds alike; a variant that cannot be built is
// a Built with the reason. After an error, and after ctx has ended, nothing is
// left behind but the log of a failed build.
func Prepare(ctx context.Context, o Options, builds []*variant.Build) (w *Workshop, err error) {
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	if o.BoltProfile == "" {
		o.BoltProfile = BoltAuto
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	w = &Workshop{o: o, made: map[string]*variant.Built{}}
	if o.Work == "" && !o.Keep {
		w.cache = o.Cache
	}
	fresh, err := w.fresh(ctx, builds)
	if err != nil {
		return nil, err
	}
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	// One for all sides, and the same for the same tree.
	w.epoch = strconv.FormatInt(w.source.Newest().Unix(), 10)
	if w.Dir, err = o.workDir(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = w.Close() // the first error counts
			w = nil
		}
	}()
	if err := w.source.Room(w.Dir, 1+len(fresh)); err != nil {
		return w, err
	}
	if err := w.buildBaseline(ctx, len(fresh)); err != nil {
		return w, err
	}
	return w, w.buildAll(ctx, fresh, 1)
}

// Add builds more of the same tree, for the baseline that is there already. What
// was built before is not built again. After an error, what was built before
// stays.
func (w *Workshop) Add(ctx context.Context, builds []*variant.Build) error {
	fresh, err := w.fresh(ctx, builds)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if err := w.source.Room(w.Dir, len(fresh)); err != nil {
		return err
	}
	return w.buildAll(ctx, fresh, 0)
}

// fresh are those builds that are not made yet, each once.
func (w *Workshop) fresh(ctx context.Context, builds []*variant.Build) ([]*variant.Build, error) {
	var out []*variant.Build
	for _, b := range builds {
		same := func(u *variant.Build) bool { return u.Name() == b.Name() }
		if w.Built(b) != nil || slices.ContainsFunc(out, same) {
			continue
		}
		out = append(out, b)
		if err := w.checkBuild(ctx, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// buildAll makes builds after others that progress counts with them.
func (w *Workshop) buildAll(whole context.Context, builds []*variant.Build, before int) error {
	ctx := whole
	if err := w.ready(ctx, builds); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(w.jobs())
	for i, b := range builds {
		w.sites++
		n := w.sites
		group.Go(func() error {
			built, err := w.buildVariant(ctx, b, n, w.reporter(b.Name(), before+i, before+len(builds)))
			if err != nil {
				return err
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.made[b.Name()] = built
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := w.sweep(whole); err != nil {
		return err
	}
	w.order(builds)
	if p := w.source.Changed(); p != "" {
		w.notef("%s changed while the variants were built: if you did not edit it, the build reaches outside of its copy", filepath.Join(w.source.Root(), p))
	}
	return nil
}

// jobs is how many variants are built at once. A build has jobs of its own, but
// also parts that use one CPU: configuring, linking, training.
func (w *Workshop) jobs() int {
	if w.o.Jobs > 0 {
		return w.o.Jobs
	}
	const least, share = 2, 4
	return max(least, runtime.NumCPU()/share)
}

// order sorts what builds that ran at once have told as if they had not.
func (w *Workshop) order(builds []*variant.Build) {
	at := func(name string) int {
		return slices.IndexFunc(builds, func(b *variant.Build) bool { return b.Name() == name })
	}
	slices.SortStableFunc(w.Failures, func(a, b *Error) int { return at(a.Side) - at(b.Side) })
}

// look finds out what can be found out without building.
func (w *Workshop) look(ctx context.Context) (err error) {
	if w.source, err = tree.Scan(ctx, w.o.Root, tree.Options{Exclude: w.o.Exclude, WithVCS: w.o.WithVCS, Products: w.o.Products}); err != nil {
		return err
	}
	rel, ok := w.source.Rel(w.o.Dir)
	if !ok {
		return fmt.Errorf("the current directory is not in the tree %s", w.source.Root())
	}
	w.rel = rel
	if w.box, err = wrapper.Find(ctx, w.o.Env, w.o.Dir); err != nil {
		return err
	}
	if w.o.Compiler != "" {
		if err := w.box.Use(ctx, w.o.Compiler); err != nil {
			return err
		}
	}
	return nil
}

func (w *Workshop) checkBuild(ctx context.Context, b *variant.Build) (err error) {
	if b.Patches, err = absolute(b.Patches); err != nil {
		return err
	}
	for _, p := range b.Patches {
		if err := checkPatch(ctx, p); err != nil {
			return err
		}
	}
	if b.BOLT && w.bolt == nil {
		w.bolt, err = bolt.Find()
	}
	return err
}

// ready finds the tools that the variants need, now that the compilers are
// known.
func (w *Workshop) ready(ctx context.Context, builds []*variant.Build) (err error) {
	some := func(f func(*variant.Build) bool) bool { return slices.ContainsFunc(builds, f) }
	if w.lto == nil {
		w.lto = &ltoTools{}
	}
	if w.lto.archivers == nil && some(func(b *variant.Build) bool { return b.LTO != "" }) {
		if w.lto, err = findLTO(ctx, w.users); err != nil {
			return err
		}
		if w.lto.clangLink != "" {
			w.notef("link-time optimisation with clang links with %s; the baseline has the build's own linker", strings.TrimPrefix(w.lto.clangLink, "-fuse-ld="))
		}
	}
	for _, b := range builds {
		if err := w.feedbackReady(ctx, b); err != nil {
			return err
		}
	}
	if len(w.o.Train) == 0 && some(func(b *variant.Build) bool { return b.PGO || b.BOLT }) {
		w.notef("trained with the measured command itself: expect less with other inputs; --train COMMAND sets others")
	}
	for _, t := range w.o.Train {
		if strings.Join(strings.Fields(t), " ") == strings.Join(w.o.Run, " ") {
			w.notef("the training command is the measured one: expect less with other inputs")
		}
	}
	return nil
}

// Close removes the copies unless they are to be kept.
func (w *Workshop) Close() error {
	for _, e := range w.entries {
		e.Release()
	}
	w.entries = nil
	if w.o.Keep || w.Dir == "" {
		return nil
	}
	if err := tree.Remove(w.Dir); err != nil {
		return fmt.Errorf("removing the copies: %w", err)
	}
	return nil
}

// drop gives the room of a side back as soon as nobody will run it.
func (w *Workshop) drop(s site) {
	if !w.o.Keep {
		_ = tree.Remove(s.root) // Close tries again
	}
}

// keepLog moves the log of a failed step to where it outlives the copies.
func (w *Workshop) keepLog(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Log == "" || w.o.Keep {
		return err
	}
	in, openErr := os.Open(e.Log)
	if openErr != nil {
		e.Log = ""
		return e
	}
	defer func() { _ = in.Close() }()
	out, createErr := os.CreateTemp(filepath.Dir(w.Dir), "whyhot-try-*.log")
	if createErr != nil {
		e.Log = ""
		return e
	}
	_, copyErr := io.Copy(out, in)
	if closeErr := out.Close(); copyErr != nil || closeErr != nil {
		_ = os.Remove(out.Name())
		e.Log = ""
		return e
	}
	e.Log = out.Name()
	return e
}

func (w *Workshop) notef(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.Notes, text) { // builds that are added find the same
		w.Notes = append(w.Notes, text)
	}
}

// reporter tells the steps of the build after n others, of so many in all.
func (w *Workshop) reporter(name string, n, of int) func(string) {
	return func(what string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.o.Progress(Step{Name: name, What: what, N: n + 1, Of: of})
	}
}
