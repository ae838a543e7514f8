package allocator

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/host/environ"
)

// Program is what matters for preloading of one executable file.
type Program struct {
	Path   string
	Interp string // its dynamic loader; "" for a statically linked program
	Setuid bool   // runs with another user's rights, so that the loader ignores the environment
	Malloc string // the allocator function that the file brings itself, "" when it takes what is loaded

	machine machine
}

// Static says that no dynamic loader runs, so that nothing can be preloaded.
func (p Program) Static() bool { return p.Interp == "" }

// Inspect reads one ELF executable.
func Inspect(path string) (Program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return Program{}, fmt.Errorf("reading %s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	p := Program{Path: path, machine: machine{f.Machine, f.Class}}
	for _, ph := range f.Progs {
		if ph.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, min(ph.Filesz, 4096))
		if _, err := io.ReadFull(ph.Open(), name); err != nil {
			return Program{}, fmt.Errorf("reading the loader's name in %s: %w", path, err)
		}
		p.Interp = string(bytes.TrimRight(name, "\x00"))
	}
	p.Malloc = ownMalloc(f)
	if st, err := os.Stat(path); err == nil {
		p.Setuid = st.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 && os.Geteuid() != 0
	}
	return p, nil
}

// ownMalloc finds an allocator inside the executable. One that is exported as
// malloc wins over a preloaded library; one under a prefix (as Rust's jemalloc
// crate has it) is called directly.
func ownMalloc(f *elf.File) string {
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range slices.Concat(dynamic, static) {
		if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		own := func(a Allocator) bool { return slices.Contains(a.Mallocs, s.Name) }
		if s.Name == "malloc" || slices.ContainsFunc(table, own) {
			return s.Name
		}
	}
	return ""
}

// WhyIgnored is the reason for which the loader would not put lib in front of
// the program, or "".
func (p Program) WhyIgnored(lib Library) string {
	switch {
	case p.Static():
		return "it is statically linked"
	case p.Setuid:
		return "it is set-user-ID, for which the loader ignores LD_PRELOAD"
	}
	f, err := elf.Open(lib.Path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if (machine{f.Machine, f.Class}) != p.machine {
		return fmt.Sprintf("it is built for %s %s and the library for %s %s", p.machine.machine, p.machine.class, f.Machine, f.Class)
	}
	if libs, _ := f.ImportedLibraries(); strings.Contains(p.Interp, "ld-musl") && slices.Contains(libs, "libc.so.6") {
		return "it runs on musl and the library needs glibc"
	}
	return ""
}

// Listed asks the program's own loader which libraries it would load, without
// running the program, in its environment (nil for this process's). known is false where the
// loader cannot be asked.
func (p Program) Listed(ctx context.Context, env []string, lib Library) (loaded, known bool) {
	if !strings.Contains(filepath.Base(p.Interp), "ld-linux") && !strings.HasPrefix(filepath.Base(p.Interp), "ld64") {
		return false, false
	}
	cmd := exec.CommandContext(ctx, p.Interp, "--list", p.Path)
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = environ.Set(env, environ.Preload+"="+lib.Path)
	out, err := cmd.Output()
	if err != nil {
		return false, false
	}
	return bytes.Contains(out, []byte(lib.Path+" (")), true
}

// Resolve finds the ELF programs that a command starts with: the file itself,
// or the interpreters of a script, outermost last. The name is looked up as
// environ.LookPath does.
func Resolve(env []string, dir, name string) ([]Program, error) {
	paths, err := environ.Programs(env, dir, name)
	if err != nil {
		return nil, err
	}
	programs := make([]Program, len(paths))
	for i, path := range paths {
		if programs[i], err = Inspect(path); err != nil {
			return nil, err
		}
	}
	return programs, nil
}
