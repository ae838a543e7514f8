// Package bolt lays out a linked program anew by what it does: LLVM's BOLT.
//
// It owns the search for llvm-bolt, the flags that keep what BOLT needs in a
// program, the profile (counted by an instrumented copy, or our own samples
// written as BOLT reads them) and the rewriting of the program in place. It takes
// the path of a program and a way to run it and gives that program, rewritten.
// Of this module it imports the sibling room wrapper only.
//
// BOLT: M. Panchenko et al., "BOLT: A Practical Binary Optimizer for Data Centers
// and Beyond", CGO 2019; flags as in llvm/bolt/README.md.
package bolt

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/rebuild/wrapper"
)

// CompileFlags keep a compiler from a layout that BOLT makes better.
func CompileFlags(f wrapper.Family) []string {
	if f == wrapper.GCC {
		return []string{"-fno-reorder-blocks-and-partition"}
	}
	return nil
}

// LinkFlags keep the relocations, without which BOLT can move no function.
func LinkFlags() []string { return []string{"-Wl,--emit-relocs"} }

// RustFlags do the same for rustc.
func RustFlags() []string { return []string{"-Clink-arg=-Wl,--emit-relocs"} }

// Tool is an installed BOLT.
type Tool struct{ path string }

// Find looks for llvm-bolt, with a version in its name as Debian has it.
func Find() (*Tool, error) {
	if p, err := tool.Find("llvm-bolt"); err == nil {
		return toolAt(p), nil
	}
	best, path := 0, ""
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		found, _ := filepath.Glob(filepath.Join(dir, "llvm-bolt-*")) // the pattern is a good one
		for _, p := range found {
			n, err := strconv.Atoi(p[strings.LastIndexByte(p, '-')+1:])
			if err == nil && n > best {
				best, path = n, p
			}
		}
	}
	if path == "" {
		return nil, errors.New("llvm-bolt is not installed: apt install bolt-19 (Debian 12 and later), dnf install llvm-bolt, or LLVM's own builds")
	}
	return toolAt(path), nil
}

// toolAt follows links: BOLT looks for its runtime beside its own directory, as
// it was called.
func toolAt(path string) *Tool {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return &Tool{path}
}

// CanRewrite says why BOLT cannot take a program, before it is tried.
func CanRewrite(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return fmt.Errorf("%s is not a program that BOLT can rewrite: %w; name the program with --bolt-binary", program, err)
	}
	defer func() { _ = f.Close() }()
	relocs := slices.ContainsFunc(f.Sections, func(s *elf.Section) bool {
		return s.Name == ".rela.text" || s.Name == ".rel.text"
	})
	symbols := f.Section(".symtab") != nil
	switch {
	case f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64:
		return fmt.Errorf("%s is built for %s, and BOLT rewrites x86-64 and AArch64 programs", program, f.Machine)
	case !symbols:
		return fmt.Errorf("%s has no symbol table, which BOLT needs: the build strips it (-s, strip)", program)
	case !relocs:
		return fmt.Errorf("%s holds no relocations: it was not linked through the compiler that was wrapped, or the build stripped it", program)
	}
	return nil
}

// Instrument writes a copy of a program that counts into the file counts.
func (t *Tool) Instrument(ctx context.Context, program, to, counts string) error {
	return t.run(ctx, program, "-instrument", "--instrumentation-file="+counts,
		"--instrumentation-file-append-pid", "-o", to)
}

// Merge joins the counts of several processes, which Instrument's file names
// begin with.
func (t *Tool) Merge(ctx context.Context, counts string) (files int, err error) {
	parts, _ := filepath.Glob(counts + ".*") // the pattern is a good one
	if len(parts) == 0 {
		return 0, errors.New("the training run wrote no counts: the instrumented program did not run, or did not exit by itself")
	}
	if len(parts) == 1 {
		return 1, os.Rename(parts[0], counts)
	}
	dir, name := filepath.Split(t.path)
	tool := dir + strings.Replace(name, "llvm-bolt", "merge-fdata", 1)
	out, err := os.Create(counts)
	if err != nil {
		return 0, fmt.Errorf("merging counts: %w", err)
	}
	var words strings.Builder
	cmd := exec.CommandContext(ctx, tool, append([]string{"-q"}, parts...)...)
	cmd.Stdout, cmd.Stderr = out, &words
	err = cmd.Run()
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return 0, fmt.Errorf("merging counts: %s: %w: %s", tool, err, tail(words.String()))
	}
	return len(parts), nil
}

// Optimize replaces a program by its new layout. profile is what Merge or
// WriteSamples made; sampled says which: samples know blocks and not branches.
func (t *Tool) Optimize(ctx context.Context, program, profile string, sampled bool) error {
	to := program + ".bolt-new"
	defer func() { _ = os.Remove(to) }()
	args := []string{"-data=" + profile, "-o", to,
		"-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-split-functions", "-split-all-cold", "-split-eh", "-icf=1"}
	if sampled {
		args = slices.DeleteFunc(args, func(a string) bool { return a == "-split-all-cold" || a == "-split-eh" })
		args[slices.Index(args, "-reorder-functions=cdsort")] = "-reorder-functions=exec-count"
	}
	if err := t.run(ctx, program, args...); err != nil {
		return err
	}
	if err := os.Rename(to, program); err != nil {
		return fmt.Errorf("putting the rewritten program in place: %w", err)
	}
	return nil
}

func (t *Tool) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, t.path, append([]string{program}, args...)...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(t.path), err, tail(string(out)))
	}
	return nil
}

// tail is what a tool complained of, or the end of what it wrote, on one line.
func tail(s string) string {
	const most = 3
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if errs := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.Contains(l, "ERROR") }); len(errs) > 0 {
		lines = errs
	}
	return strings.Join(lines[max(0, len(lines)-most):], "; ")
}
