package check

import (
	"context"
	"fmt"
	"path/filepath"
)

// static judges the source of what the change touches by a profile, and runs nothing.
func (c *checking) static(ctx context.Context) error {
	r := &c.request
	if r.Head != "" {
		return fmt.Errorf("--head %s: without a command, the change is what the working tree has", r.Head)
	}
	c.listener.Step("analysing the units that the change touches")
	found, err := c.findings(ctx, r.Profile, filepath.Join(c.repo.Root, c.rel), c.repo.Root)
	if err != nil {
		return err
	}
	c.result.Findings = found
	c.result.Verdict = Undecided
	c.result.Says = fmt.Sprintf("nothing was run; on the changed lines that are hot: %d findings", len(found))
	if len(found) == 1 {
		c.result.Says = "nothing was run; on the changed lines that are hot: 1 finding"
	}
	if len(found) == 0 {
		c.result.Says = "nothing was run; nothing is to be said of the changed lines that are hot"
	}
	return nil
}
