package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// kept is what is stored with a build beside its files.
type kept struct {
	Seen   wrapper.Log       `json:"seen"`           // of the final build
	Prints map[string]string `json:"prints"`         // fingerprints of its programs
	Notes  []string          `json:"notes"`          // on this build
	Took   time.Duration     `json:"took,omitempty"` // of the baseline
}

// settle finds where to build, nil for the baseline: in the cache where there is
// one, else in the trial's own directory. old is what the cache knows of the build
// when it is there already.
func (w *Workshop) settle(ctx context.Context, b *variant.Build, n int) (s site, old *kept, err error) {
	s = w.site(n)
	if w.cache == nil {
		return s, nil, nil
	}
	key, err := w.key(ctx, b)
	if err != nil {
		return s, nil, err
	}
	entry := w.cache.Take(key)
	if entry == nil {
		return s, nil, nil
	}
	w.mu.Lock()
	w.entries = append(w.entries, entry)
	w.mu.Unlock()
	s.entry, s.root = entry, entry.Site
	s.tree = filepath.Join(s.root, filepath.Base(w.source.Root()))
	old = &kept{}
	if !entry.Restore(ctx, old) {
		return s, nil, ctx.Err()
	}
	return s, old, w.returnScratch(s, b)
}

// key is everything that decides a build. What it is built from outside of the
// tree is looked at when it is taken from the cache.
func (w *Workshop) key(ctx context.Context, b *variant.Build) (string, error) {
	if w.content == "" {
		var err error
		if w.content, err = w.source.Content(ctx); err != nil {
			return "", err
		}
	}
	o := &w.o
	k := cache.NewKey()
	k.Add("form", "1")
	if err := k.AddFile("whyhot", "/proc/self/exe"); err != nil {
		return "", err
	}
	k.Add("tree", w.source.Root(), w.rel, w.content)
	k.Add("build", o.Command, o.Compiler, o.OnlyDir)
	k.Add("environment", cache.Environment(o.Env)...)
	if b == nil {
		k.Add("baseline")
		return k.Sum(), nil
	}
	if err := addBuild(k, b); err != nil {
		return "", err
	}
	if b.PGO || b.BOLT {
		k.Add("training", o.Run...)
		k.Add("training", o.Train...)
		k.Add("training", o.BoltBinary, string(o.BoltProfile))
		for _, path := range w.trainedWith() {
			if err := k.AddFile("training with "+path, path); err != nil {
				return "", err
			}
		}
	}
	return k.Sum(), nil
}

// addBuild puts a variant's flags into a key, and the files that they name.
func addBuild(k *cache.Key, b *variant.Build) error {
	plain := func(text string) string {
		if b.Scratch == "" {
			return text
		}
		return strings.ReplaceAll(text, b.Scratch, "SCRATCH")
	}
	k.Add("variant", plain(b.CFlags), plain(b.LDFlags), b.RustFlags, b.LTO, b.Label, strconv.FormatBool(b.PGO), strconv.FormatBool(b.Sampled), strconv.FormatBool(b.BOLT))
	files := b.Patches
	if b.Profile != "" {
		files = append(slices.Clip(files), b.Profile)
	}
	for _, p := range files {
		if err := k.AddFile("made with", p); err != nil {
			return err
		}
	}
	for _, flags := range []string{b.CFlags, b.LDFlags, b.RustFlags} {
		words, err := shellwords.Split(flags)
		if err != nil {
			return err
		}
		for _, word := range words {
			i := strings.IndexByte(word, '/')
			if i < 0 {
				continue
			}
			if info, err := os.Stat(word[i:]); err == nil && info.Mode().IsRegular() {
				if err := k.AddFile("named "+plain(word), word[i:]); err != nil {
					return err
				}
			}
		}
	}
	if b.Scratch == "" {
		return nil
	}
	entries, err := os.ReadDir(b.Scratch)
	if err != nil {
		return fmt.Errorf("reading what is built: %w", err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.Scratch, e.Name()))
		if err != nil {
			return fmt.Errorf("reading what is built: %w", err)
		}
		k.Add("scratch "+e.Name(), plain(string(data)))
	}
	return nil
}

// trainedWith are the files that the training names, and its standard input.
func (w *Workshop) trainedWith() []string {
	var out []string
	words := slices.Clone(w.o.Run)
	for _, line := range w.o.Train {
		words = append(words, strings.Fields(line)...)
	}
	for _, word := range append(words, w.o.Stdin) {
		path := strings.Trim(word, `'"`)
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(w.o.Dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// keep stores a build that is done. That it cannot be is a note: the trial goes on.
func (w *Workshop) keep(ctx context.Context, s site, b *variant.Build, k kept) {
	if s.entry == nil || ctx.Err() != nil {
		return
	}
	if b != nil && b.Scratch != "" {
		if err := copyFiles(b.Scratch, s.scratch()); err != nil {
			w.notef("the build is not kept for later trials: %v", err)
			return
		}
	}
	if err := s.entry.Store(ctx, w.searched(ctx, s, k.Seen), k); err != nil && ctx.Err() == nil {
		w.notef("the build is not kept for later trials: %v", err)
	}
}

func (s site) scratch() string { return filepath.Join(s.root, ".whyhot", "scratch") }

// returnScratch gives back what a build wrote into its scratch directory.
func (w *Workshop) returnScratch(s site, b *variant.Build) error {
	if b == nil || b.Scratch == "" {
		return nil
	}
	return copyFiles(s.scratch(), b.Scratch)
}

// copyFiles copies the regular files of a directory.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("keeping a build: %w", err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("keeping a build: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("keeping a build: %w", err)
		}
	}
	return nil
}

// buildTools are the programs that a build does its work with, beside compilers.
var buildTools = []string{
	"sh", "bash", "make", "gmake", "ninja", "cmake", "meson", "bazel", "scons", "cargo", "rustc", "go", "ccache", "distcc", "libtool", "pkg-config", "pkgconf",
	"as", "ld", "ld.bfd", "ld.gold", "ld.lld", "mold", "ar", "nm", "ranlib", "strip", "objcopy", "gcc-ar", "llvm-ar",
	"m4", "bison", "yacc", "flex", "lex", "re2c", "gperf", "protoc", "swig", "perl", "python3", "autoconf", "automake",
}

// programs are those, and the programs that the build's command names.
func (w *Workshop) programs() []string {
	out := slices.Clone(buildTools)
	for _, word := range strings.Fields(w.o.Command) {
		if word = strings.Trim(word, `'"();`); word != "" && !strings.ContainsAny(word, "/=$-") {
			out = append(out, word)
		}
	}
	return out
}

// searched are the files and directories outside of the tree in which the build finds
// what it is made of: tools on PATH, what the compilers search by themselves, and what
// the build told them to. That a package was installed is nothing to it as long as
// these are the same.
func (w *Workshop) searched(ctx context.Context, s site, seen wrapper.Log) []string {
	var out []string
	for _, dir := range filepath.SplitList(environ.Get(w.o.Env, "PATH")) {
		for _, tool := range w.programs() {
			out = append(out, filepath.Join(dir, tool))
		}
	}
	for _, dir := range seen.Includes {
		if !strings.HasPrefix(dir+"/", s.root+"/") {
			out = append(out, dir)
		}
	}
	for _, dir := range seen.Libraries {
		if !strings.HasPrefix(dir+"/", s.root+"/") {
			out = append(out, cache.Linked(dir))
		}
	}
	for _, c := range w.users {
		out = append(out, compilerSearches(ctx, c)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compilerSearches asks a compiler where it looks for headers and libraries, and
// adds where it lies itself.
func compilerSearches(ctx context.Context, c *wrapper.Compiler) []string {
	var out []string
	if program, err := filepath.EvalSymlinks(c.Path); err == nil {
		out = append(out, program)
	}
	switch c.Family {
	case wrapper.Go:
		if root, err := exec.CommandContext(ctx, c.Path, "env", "GOROOT").Output(); err == nil {
			out = append(out, filepath.Join(strings.TrimSpace(string(root)), "VERSION"))
		}
		return out
	case wrapper.Rust:
		if root, err := exec.CommandContext(ctx, c.Path, "--print", "sysroot").Output(); err == nil {
			out = append(out, filepath.Join(strings.TrimSpace(string(root)), "lib"))
		}
		return out
	case wrapper.GCC, wrapper.Clang, wrapper.Other:
	}
	for _, language := range []string{"c", "c++"} {
		text, _ := exec.CommandContext(ctx, c.Path, "-E", "-v", "-x", language, "/dev/null").CombinedOutput() // a compiler without C++ has nothing to say
		inside := false
		for line := range bytes.Lines(text) {
			switch line := strings.TrimSpace(string(line)); {
			case strings.HasSuffix(line, "search starts here:"):
				inside = true
			case strings.HasPrefix(line, "End of search list"):
				inside = false
			case inside:
				out = append(out, filepath.Clean(line))
			}
		}
	}
	if text, err := exec.CommandContext(ctx, c.Path, "-print-search-dirs").Output(); err == nil {
		for line := range strings.Lines(string(text)) {
			if list, ok := strings.CutPrefix(strings.TrimSpace(line), "libraries: ="); ok {
				for _, dir := range filepath.SplitList(list) {
					out = append(out, cache.Linked(filepath.Clean(dir)))
				}
			}
		}
	}
	return out
}
