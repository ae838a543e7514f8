package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/tool"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// site is where one side is built. Numbers have two digits, so that all paths
// are equally long.
type site struct {
	root  string // of everything
	tree  string
	rel   string
	entry *cache.Entry // nil where the build is not kept
}

func (w *Workshop) site(n int) site {
	root := filepath.Join(w.Dir, fmt.Sprintf("%02d", n))
	return site{root: root, tree: filepath.Join(root, filepath.Base(w.source.Root())), rel: w.rel}
}

func (s site) dir() string                 { return filepath.Join(s.tree, s.rel) }
func (s site) bin() string                 { return filepath.Join(s.root, ".whyhot", "bin") }
func (s site) counts() string              { return filepath.Join(s.root, ".whyhot", "counts") }
func (s site) log(step string) string      { return filepath.Join(s.root, ".whyhot", step+".log") }
func (s site) calls(step string) string    { return filepath.Join(s.root, ".whyhot", step+".calls") }
func (s site) boltFile(name string) string { return filepath.Join(s.root, ".whyhot", "bolt."+name) }

// copy makes the tree anew and applies patches.
func (w *Workshop) copy(ctx context.Context, s site, patches []string) error {
	if err := os.MkdirAll(filepath.Join(s.root, ".whyhot"), 0o755); err != nil {
		return fmt.Errorf("copying the tree: %w", err)
	}
	if err := w.source.Copy(ctx, s.tree, w.tools(s)); err != nil {
		return err
	}
	for _, p := range patches {
		if err := applyPatch(ctx, s.tree, p); err != nil {
			return &Error{Side: filepath.Base(p), Step: "patch", Why: err.Error()}
		}
	}
	return nil
}

// tools are the moves from the real compilers to the wrappers of a site.
func (w *Workshop) tools(s site) []tree.Move {
	tools := w.box.Tools(s.bin())
	out := make([]tree.Move, 0, len(tools))
	for from, to := range tools {
		out = append(out, tree.Move{From: from, To: to})
	}
	return out
}

// install writes the wrappers for one build.
func (w *Workshop) install(s site, log string, b *variant.Build, ph phase) error {
	step := strings.TrimSuffix(filepath.Base(log), ".log")
	setup := wrapper.Setup{
		Dir: s.bin(), Log: s.calls(step),
		Every: map[wrapper.Family][]string{}, Flags: map[wrapper.Family]wrapper.Flags{},
	}
	if w.o.OnlyDir != "" {
		setup.Only = filepath.Join(s.tree, w.o.OnlyDir)
	}
	for _, f := range []wrapper.Family{wrapper.GCC, wrapper.Clang, wrapper.Rust, wrapper.Go} {
		oldest := 0
		for i, c := range w.box.Compilers(f) {
			if i == 0 || c.Major < oldest {
				oldest = c.Major
			}
		}
		lto := w.lto
		if lto == nil {
			lto = &ltoTools{}
		}
		flags, err := flagsOf(b, f, ph, s.counts(), lto)
		if err != nil {
			return err
		}
		setup.Every[f] = always(f, oldest, s.tree, w.source.Root())
		setup.Flags[f] = flags
	}
	return w.box.Install(setup)
}

// place are the assignments that lead a program into a site.
func (w *Workshop) place(s site) []string {
	out := []string{"PWD=" + s.dir()}
	for _, kv := range w.o.Env {
		key, value, _ := strings.Cut(kv, "=")
		if moved := tree.Rebase(value, w.source.Moves(s.tree)); key != "PWD" && key != "OLDPWD" && moved != value {
			out = append(out, key+"="+moved)
		}
	}
	return out
}

func (w *Workshop) environ(s site, more []string) []string {
	return environ.Set(environ.Set(w.o.Env, w.place(s)...), more...)
}

// run lets the shell carry out one of the user's lines in a site, its output in
// the step's log.
func (w *Workshop) run(ctx context.Context, s site, side, step, line string, more []string, stdin string) error {
	env := w.environ(s, more)
	line = tree.Rebase(line, w.source.Moves(s.tree))
	if step == "build" || step == "instrument" {
		env = w.box.Environ(s.bin(), env)
		line = tree.Rebase(line, w.tools(s))
		// The same __DATE__ and __TIME__ on all sides.
		env = environ.Set(env, "SOURCE_DATE_EPOCH="+w.epoch)
	}
	log := s.log(step)
	end, err := w.execute(ctx, line, log, env, s.dir(), stdin)
	if err != nil {
		return err
	}
	if !end.Failed() {
		return nil
	}
	return &Error{Side: side, Step: step, Why: end.String() + advice(log, s.root), Log: log, Tail: tailOf(log), end: end}
}

// advice recognises what users can do something about.
func advice(log, dir string) string {
	text := tailOf(log)
	switch {
	case strings.Contains(text, "No space left on device") || strings.Contains(text, "os error 28"):
		return " (no space left in " + dir + ": name a directory with more room with --work)"
	case strings.Contains(text, "CMakeCache.txt directory") && strings.Contains(text, "is different"):
		return " (a directory that CMake configured elsewhere: skip it with --exclude, and let --build configure)"
	case strings.Contains(text, "../") && strings.Contains(text, "No such file"):
		return " (if the build reaches above the copied directory, name the tree's top with --tree)"
	case strings.Contains(text, "undefined reference to `__gcov"), strings.Contains(text, "undefined symbol: __llvm_prf"):
		return " (instrumented objects were linked without the compiler that was wrapped)"
	}
	return ""
}

// tailOf is the end of a log, as much as a person reads.
func tailOf(path string) string {
	const most, lines = 8 << 10, 15
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		if _, err := f.Seek(-most, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}

// checkPatch refuses a patch that is not there, and a machine that has no tool
// for it.
func checkPatch(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("--patch: %w", err)
	}
	if info.IsDir() || info.Size() == 0 {
		return fmt.Errorf("--patch %s: not a patch", path)
	}
	if _, err := tool.Find("patch"); err != nil {
		return errors.New("--patch needs the program patch: install the package patch")
	}
	return nil
}

// applyPatch tries the form of git (a/file) first, then plain paths.
func applyPatch(ctx context.Context, dir, path string) error {
	var out []byte
	for _, strip := range []string{"-p1", "-p0"} {
		args := []string{"--batch", "--forward", "--no-backup-if-mismatch", strip, "-i", path}
		dry := exec.CommandContext(ctx, "patch", slices.Concat(args, []string{"--dry-run"})...)
		dry.Dir = dir
		text, err := dry.CombinedOutput()
		if err != nil {
			if out == nil {
				out = text
			}
			continue
		}
		apply := exec.CommandContext(ctx, "patch", args...)
		apply.Dir = dir
		if text, err := apply.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
		}
		return nil
	}
	return fmt.Errorf("it does not apply to the tree: %s", bytes.TrimSpace(out))
}
