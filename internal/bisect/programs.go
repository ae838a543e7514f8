package bisect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/bisect/history"
	"whyhot/internal/trial/rebuild"
)

// compiled are endings of files that a compiled program was made from and does not read
// when it runs, and of texts for people.
var compiled = []string{
	".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".s", ".S", ".asm", ".go", ".rs", ".zig", ".f90", ".f", ".d", ".nim",
	".md", ".rst", ".adoc", ".mk", ".am", ".ac", ".m4", ".cmake", ".gitignore", ".gitattributes",
}

var compiledNames = []string{"Makefile", "GNUmakefile", "CMakeLists.txt", "meson.build", "configure", "LICENSE", "COPYING", "AUTHORS", "ChangeLog", "NEWS", "README"}

// intermediate are endings of what a build leaves and no program reads.
var intermediate = []string{".o", ".lo", ".la", ".a", ".d", ".obj", ".gcno", ".ninja", ".log", ".tmp", ".stamp", ".rlib", ".rmeta", ".cmake"}

// programs names what a run of a built tree can read of it, so that commits that change
// comments, tests or texts are one program: what its programs and libraries load into
// memory, other files that the build has made, and files of the commit that are no
// compiled source. It is "" where the build made no program, since everything is read
// then, and where the command names a source.
func programs(ctx context.Context, root string, command []string) (string, error) {
	prints, err := rebuild.Fingerprints(ctx, root)
	if err != nil || len(prints) == 0 {
		return "", err
	}
	for _, word := range command {
		if isCompiled(word) {
			return "", nil
		}
	}
	made, err := history.Made(ctx, root)
	if err != nil {
		return "", err
	}
	parts := make([]string, 0, len(prints))
	for path, sum := range prints {
		parts = append(parts, path+" "+sum)
	}
	for _, path := range made {
		if prints[path] != "" || slices.Contains(intermediate, filepath.Ext(path)) || strings.Contains(path, "CMakeFiles/") {
			continue
		}
		info, err := os.Lstat(filepath.Join(root, path))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return "", fmt.Errorf("comparing builds: %w", err)
		}
		h := sha256.Sum256(data)
		parts = append(parts, path+" "+hex.EncodeToString(h[:]))
	}
	tracked, err := history.Tracked(ctx, root)
	if err != nil {
		return "", err
	}
	for path, id := range tracked {
		if !isCompiled(path) {
			parts = append(parts, path+" "+id)
		}
	}
	slices.Sort(parts)
	return sum(parts...), nil
}

func isCompiled(path string) bool {
	return strings.HasPrefix(path, ".github/") || slices.Contains(compiled, filepath.Ext(path)) || slices.Contains(compiledNames, filepath.Base(path))
}
