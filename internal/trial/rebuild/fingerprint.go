package rebuild

import (
	"context"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/elfinfo/loaded"
)

// Fingerprints are hashes of the programs and shared libraries that a build has
// made, by path in the tree: of what is loaded into memory, without the build ID,
// which also covers debug information.
func Fingerprints(ctx context.Context, root string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !d.Type().IsRegular() || isProbeDir(p) {
			return err
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Before(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)) {
			return nil //nolint:nilerr // gone, or copied and not built
		}
		if !isProgram(p) {
			return nil
		}
		sum, err := loaded.Sum(p)
		if err != nil {
			return nil //nolint:nilerr // a damaged program is nobody's evidence
		}
		rel, err := filepath.Rel(root, p)
		out[rel] = sum
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("comparing programs: %w", err)
	}
	return out, nil
}

func isProbeDir(p string) bool { return strings.Contains(p, "/CMakeFiles/") }

// isProgram says whether a file is a program or a shared library.
func isProgram(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var head [18]byte // e_type is the half-word at 16, after e_ident: elf(5)
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:4]) != elf.ELFMAG {
		return false
	}
	kind := elf.Type(head[16]) | elf.Type(head[17])
	return kind == elf.ET_EXEC || kind == elf.ET_DYN
}

// equal says whether two builds made the same programs, and how many.
func equal(a, b map[string]string) (same bool, n int) {
	if len(a) == 0 || len(a) != len(b) {
		return false, 0
	}
	for path, sum := range a {
		if b[path] != sum {
			return false, 0
		}
	}
	return true, len(a)
}
