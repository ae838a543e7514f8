package pgo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"whyhot/internal/trial/rebuild/wrapper"
)

// ReadsSamples says whether a family's compilers optimise by samples. GCC reads the form of
// a tool that wants branch records, and rustc's flag is not stable.
func ReadsSamples(f wrapper.Family) bool { return f == wrapper.Go || f == wrapper.Clang }

// Sampled are the flags of a build whose program is to be sampled: code has to be found
// again by function, line and block.
func Sampled(f wrapper.Family) []string {
	if f == wrapper.Clang {
		return []string{"-gline-tables-only", "-fdebug-info-for-profiling"}
	}
	return nil
}

// UseSamples are the flags of the build that reads samples from a file.
func UseSamples(f wrapper.Family, file string) []string {
	switch f {
	case wrapper.Go:
		return []string{"-pgo=" + file}
	case wrapper.Clang:
		return []string{"-fprofile-sample-use=" + file, "-Wno-error=backend-plugin"}
	case wrapper.GCC, wrapper.Rust, wrapper.Other:
	}
	return nil
}

// SampleFile is where the samples of a training are kept for a family.
func SampleFile(f wrapper.Family, dir string) string {
	name := "samples.prof"
	if f == wrapper.Go {
		name = "default.pgo"
	}
	return filepath.Join(dir, string(f), name)
}

// FamilyOf says whose compilers read a file of samples: Go's is pprof or what `go tool
// preprofile` makes of it, clang's is text or LLVM's binary form.
func FamilyOf(file string) (wrapper.Family, error) {
	f, err := os.Open(file)
	if err != nil {
		return wrapper.Other, fmt.Errorf("profile for the build: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	head := make([]byte, 16)
	n, err := f.Read(head)
	if err != nil {
		return wrapper.Other, fmt.Errorf("profile for the build: %s: %w", file, err)
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.HasPrefix(head, []byte("GO PREPROFILE")) {
		return wrapper.Go, nil
	}
	return wrapper.Clang, nil
}
