package whatif

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"whyhot/internal/host/tool"
)

// FindPlugin looks for the plug-in beside this program, as `make analyzer` puts
// it there; $WHYHOT_WHATIF_PLUGIN names another.
func FindPlugin() (string, error) {
	if path := os.Getenv("WHYHOT_WHATIF_PLUGIN"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("$WHYHOT_WHATIF_PLUGIN: %w", err)
		}
		return filepath.Abs(path)
	}
	if self, err := os.Executable(); err == nil {
		// Beside the program where it was built, below lib where a package installed it.
		for _, dir := range []string{".", "../lib/whyhot"} {
			if path := filepath.Join(filepath.Dir(self), dir, pluginName); exists(path) {
				return path, nil
			}
		}
	}
	return "", errors.New("the compiler plug-in " + pluginName + " is not next to whyhot; install the package whyhot-analyzer, or build it with `make analyzer` (it needs llvm-19-dev)")
}

// FindClang gives the name of the clang that the plug-in is made for.
func FindClang(ctx context.Context) (string, error) {
	for _, name := range []string{"clang-19", "clang"} {
		path, err := tool.Find(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-dM", "-E", "-x", "c", os.DevNull).Output()
		if err == nil && strings.Contains(string(out), "#define __clang_major__ 19\n") {
			return name, nil
		}
	}
	return "", errors.New("a what-if build needs clang 19 on PATH (Debian and Ubuntu: apt install clang-19 lld-19)")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
