package hunt

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"whyhot/internal/hunt/candidate"
)

// apply writes the patches that are proved into the source.
func (h *hunt) apply(ctx context.Context, result *Result) error {
	var failed []error
	for i := range result.Proved {
		v := &result.Proved[i]
		if v.Kind != candidate.Patch {
			continue
		}
		if out, err := patchWith(ctx, h.request.root(), v.Patch, "--dry-run"); err != nil {
			failed = append(failed, fmt.Errorf("%s is not applied: %s", filepath.Base(v.Patch), strings.TrimSpace(out)))
			continue
		}
		if out, err := patchWith(ctx, h.request.root(), v.Patch); err != nil {
			failed = append(failed, fmt.Errorf("%s: %s", filepath.Base(v.Patch), strings.TrimSpace(out)))
			continue
		}
		v.Applied = true
	}
	return errors.Join(failed...)
}

func patchWith(ctx context.Context, dir, file string, more ...string) (string, error) {
	args := append([]string{"-p1", "--batch", "--forward", "-d", dir, "-i", file}, more...)
	out, err := exec.CommandContext(ctx, "patch", args...).CombinedOutput()
	return string(out), err
}
