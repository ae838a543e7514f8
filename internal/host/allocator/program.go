package allocator

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
		switch s.Name {
		case "malloc", "_rjem_malloc", "je_malloc", "mi_malloc", "tc_malloc", "rpmalloc":
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
// running the program. known is false where the loader cannot be asked.
func (p Program) Listed(ctx context.Context, lib Library) (loaded, known bool) {
	if !strings.Contains(filepath.Base(p.Interp), "ld-linux") && !strings.HasPrefix(filepath.Base(p.Interp), "ld64") {
		return false, false
	}
	cmd := exec.CommandContext(ctx, p.Interp, "--list", p.Path)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+lib.Path)
	out, err := cmd.Output()
	if err != nil {
		return false, false
	}
	return bytes.Contains(out, []byte(lib.Path+" (")), true
}

// Resolve finds the ELF programs that a command starts with: the file itself,
// or the interpreters of a script, outermost last. name is looked up in PATH.
func Resolve(name string) ([]Program, error) {
	const deepest = 5 // the kernel follows no more
	var chain []Program
	for range deepest {
		path, err := exec.LookPath(name)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return nil, err
		}
		interp, arg, err := shebang(path)
		if err != nil {
			return nil, err
		}
		if interp == "" {
			p, err := Inspect(path)
			if err != nil {
				return nil, err
			}
			return append(chain, p), nil
		}
		name = interp
		if filepath.Base(interp) != "env" {
			continue
		}
		if p, err := Inspect(interp); err == nil {
			chain = append(chain, p)
		}
		if name = envTarget(arg); name == "" {
			return chain, nil
		}
	}
	return nil, fmt.Errorf("%s: interpreters nested too deeply", name)
}

// shebang is the interpreter line of a script; "" for anything else.
func shebang(path string) (interp, arg string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", fmt.Errorf("reading the program: %w", err)
	}
	defer func() { _ = f.Close() }()
	const kernelLimit = 256 // BINPRM_BUF_SIZE
	line, err := bufio.NewReader(io.LimitReader(f, kernelLimit)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", fmt.Errorf("reading %s: %w", path, err)
	}
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", "", nil
	}
	interp, arg, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return interp, strings.TrimSpace(arg), nil
}

// envTarget is the program that "env ARG" starts: the first word that is
// neither an option nor an assignment.
func envTarget(arg string) string {
	for word := range strings.FieldsSeq(arg) {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}
