// Package pgo knows the three steps of profile-guided optimisation: what the
// compilers need to be told, where the counts are and what they are worth.
//
// It owns the flags of the instrumented and of the optimised build, the merging
// of raw counts by llvm-profdata, and the warnings about counts that are missing
// or do not fit. It takes a directory for counts and gives flags and numbers. It
// builds and runs nothing but llvm-profdata; of this module it imports the
// sibling room wrapper only.
//
// The flags: GCC's manual, "Options That Control Optimization" (-fprofile-use)
// and "Program Instrumentation Options"; Clang's user manual, "Profile Guided
// Optimization"; the rustc book, "Profile-guided Optimization". Clang's
// instrumentation is that of the IR (-fprofile-generate), which counts after
// early inlining and so costs less and fits better than that of the front end.
package pgo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/rebuild/wrapper"
)

const merged = "merged.profdata"

// Instrument are the flags of the build that counts into dir.
func Instrument(f wrapper.Family, dir string) []string {
	switch f {
	case wrapper.GCC, wrapper.Clang:
		// Threads would lose counts without atomic updates.
		return []string{"-fprofile-generate=" + filepath.Join(dir, string(f)), "-fprofile-update=prefer-atomic"}
	case wrapper.Rust:
		return []string{"-Cprofile-generate=" + filepath.Join(dir, string(f))}
	case wrapper.Go, wrapper.Other:
	}
	return nil
}

// Use are the flags of the build that reads the counts from dir. Counts that do
// not fit are warned of, which a build that makes errors of warnings must not
// trip over.
func Use(f wrapper.Family, dir string) []string {
	dir = filepath.Join(dir, string(f))
	file := filepath.Join(dir, merged)
	switch f {
	case wrapper.GCC:
		return []string{"-fprofile-use=" + dir, "-fprofile-correction", "-Wmissing-profile",
			"-Wno-error=missing-profile", "-Wno-error=coverage-mismatch"}
	case wrapper.Clang:
		return []string{"-fprofile-use=" + file, "-Wno-error=profile-instr-out-of-date",
			"-Wno-error=profile-instr-unprofiled", "-Wno-error=backend-plugin"}
	case wrapper.Rust:
		return []string{"-Cprofile-use=" + file}
	case wrapper.Go, wrapper.Other:
	}
	return nil
}

// Counts is what the training left.
type Counts struct{ Files int }

// Merge makes the counts of one family ready for Use. No count at all is an
// error: an optimised build without any would be the plain one.
func Merge(ctx context.Context, c *wrapper.Compiler, dir string) (Counts, error) {
	dir = filepath.Join(dir, string(c.Family))
	suffix := ".profraw"
	if c.Family == wrapper.GCC {
		suffix = ".gcda"
	}
	files, err := withSuffix(dir, suffix)
	if err != nil {
		return Counts{}, err
	}
	if len(files) == 0 {
		return Counts{}, errors.New("the training run wrote no counts: the instrumented program did not run, or it did not exit by itself (counts are written by exit, not by _exit, abort or a signal)")
	}
	if c.Family == wrapper.GCC {
		return Counts{len(files)}, nil
	}
	tool, err := Profdata(ctx, c)
	if err != nil {
		return Counts{}, err
	}
	// The names in a file: thousands of processes do not fit on a command line.
	list := filepath.Join(dir, "raw.list")
	if err := os.WriteFile(list, []byte(strings.Join(files, "\n")+"\n"), 0o600); err != nil {
		return Counts{}, fmt.Errorf("merging counts: %w", err)
	}
	cmd := exec.CommandContext(ctx, tool, "merge", "--failure-mode=all", "--input-files="+list, "-o", filepath.Join(dir, merged))
	if out, err := cmd.CombinedOutput(); err != nil {
		return Counts{}, fmt.Errorf("merging counts: %s: %w: %s", tool, err, bytes.TrimSpace(out))
	}
	return Counts{len(files)}, nil
}

func withSuffix(dir, suffix string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && strings.HasSuffix(p, suffix) && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for counts: %w", err)
	}
	return out, nil
}

// Forget removes what was counted until now, in programs that a build runs.
func Forget(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("counts: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("counts: %w", err)
		}
	}
	return nil
}

// Check says whether a compiler can do it at all, before the first build.
func Check(ctx context.Context, c *wrapper.Compiler) error {
	switch c.Family {
	case wrapper.Clang:
		if lib := runtimeOf(ctx, c); lib != "" && !exists(lib) {
			return fmt.Errorf("%s lacks its profiling runtime (%s): install libclang-rt-%d-dev (Debian, Ubuntu) or compiler-rt", filepath.Base(c.Path), filepath.Base(lib), c.Major)
		}
		_, err := Profdata(ctx, c)
		return err
	case wrapper.Rust:
		_, err := Profdata(ctx, c)
		return err
	case wrapper.GCC, wrapper.Go, wrapper.Other:
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runtimeOf is the profiling runtime that the driver would link, "" when it
// cannot be told.
func runtimeOf(ctx context.Context, c *wrapper.Compiler) string {
	out, err := exec.CommandContext(ctx, c.Path, "-###", "-fprofile-generate", "-x", "c", "/dev/null", "-o", "/dev/null").CombinedOutput()
	if err != nil {
		return ""
	}
	return string(bytes.Trim(regexp.MustCompile(`"[^"]*clang_rt\.profile[^"]*\.a"`).Find(out), `"`))
}

// Profdata finds the llvm-profdata that reads what a compiler's programs write:
// the one beside it, or one of at least its version.
func Profdata(ctx context.Context, c *wrapper.Compiler) (string, error) {
	const name = "llvm-profdata"
	for _, dir := range toolDirs(ctx, c) {
		if p := filepath.Join(dir, name); exists(p) {
			return p, nil
		}
	}
	const newer = 3 // versions that still read older counts
	for v := c.Major; v <= c.Major+newer; v++ {
		if p, err := tool.Find(fmt.Sprintf("%s-%d", name, v)); err == nil {
			return p, nil
		}
	}
	if p, err := tool.Find(name); err == nil && versionOf(ctx, p) >= c.Major {
		return p, nil
	}
	if c.Family == wrapper.Rust {
		return "", fmt.Errorf("rustc %s needs the llvm-profdata of LLVM %d to merge its counts: rustup component add llvm-tools, or install llvm-%d", c.Version, c.Major, c.Major)
	}
	return "", fmt.Errorf("%s needs llvm-profdata of version %d to merge its counts: install llvm-%d", filepath.Base(c.Path), c.Major, c.Major)
}

func toolDirs(ctx context.Context, c *wrapper.Compiler) []string {
	if c.Family == wrapper.Rust {
		out, err := exec.CommandContext(ctx, c.Path, "--print", "sysroot").Output()
		if err != nil {
			return nil
		}
		dirs, _ := filepath.Glob(filepath.Join(string(bytes.TrimSpace(out)), "lib", "rustlib", "*", "bin"))
		return dirs
	}
	program, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return nil
	}
	return []string{filepath.Dir(program)}
}

func versionOf(ctx context.Context, tool string) int {
	out, err := exec.CommandContext(ctx, tool, "--version").Output()
	m := regexp.MustCompile(`LLVM version (\d+)`).FindSubmatch(out)
	if err != nil || m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

// Fit is how the counts met the sources, as the compilers' warnings have it.
type Fit struct {
	Missing    int // sources for which nothing was counted
	Mismatched int // functions or sources whose counts are of another program
}

// ReadFit counts the warnings in the log of an optimised build.
func ReadFit(log string) (Fit, error) {
	f, err := os.Open(log)
	if err != nil {
		return Fit{}, fmt.Errorf("log of the build: %w", err)
	}
	defer func() { _ = f.Close() }()
	var missing, wrong []string
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		switch {
		case strings.Contains(line, "[-Wmissing-profile]"):
			missing = append(missing, quotedPart(line))
		case strings.Contains(line, "[-Wcoverage-mismatch]"), strings.Contains(line, "[-Wprofile-instr-out-of-date]"),
			strings.Contains(line, "[-Wbackend-plugin]") && strings.Contains(line, "hash mismatch"):
			wrong = append(wrong, line)
		}
		if err != nil {
			return Fit{Missing: distinct(missing), Mismatched: distinct(wrong)}, nil
		}
	}
}

// quotedPart is the file that the compiler names: one source warns once for each
// of its functions.
func quotedPart(line string) string {
	if i := strings.Index(line, ".gcda"); i >= 0 {
		return line[strings.LastIndexAny(line[:i], "'‘ ")+1 : i]
	}
	return line
}

func distinct(lines []string) int {
	slices.Sort(lines)
	return len(slices.Compact(lines))
}
