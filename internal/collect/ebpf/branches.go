package ebpf

import (
	"errors"
	"os"

	"whyhot/internal/collect/branch"
	"whyhot/internal/profile"
)

// watchBranches begins to follow conditional jumps, where it is asked for: of a command, which
// nobody waits for but whoever records it.
func (rec *recording) watchBranches() {
	if !rec.request.Settings.Branches || rec.proc == nil {
		return
	}
	// Where it cannot be done nothing is missing that anybody knows of: a note would be about
	// what every recording on that machine lacks.
	rec.convert.branches, _ = branch.New()
}

// withBranches adds what was followed to the profile.
func (rec *recording) withBranches(p *profile.Profile) {
	found, err := rec.convert.branches.Branches()
	if p.Meta.Branches = found; err != nil && !errors.Is(err, os.ErrPermission) { // see watchBranches
		p.Meta.Warnings = append(p.Meta.Warnings, "conditional jumps of hot loops were not followed: "+err.Error())
	}
}
