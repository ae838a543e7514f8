//go:build linux

package run

import (
	"context"

	"whyhot/internal/host/allocator"
)

// confirm asks what watching could not see: a command that ended before its
// first look. The files it starts with say whether the loader would take the
// library.
func confirm(ctx context.Context, spec Spec, seen []Process) []Process {
	if !spec.Watch || spec.Library == nil {
		return seen
	}
	for _, p := range seen {
		if p.State != allocator.Early {
			return seen
		}
	}
	programs, err := allocator.Resolve(spec.Env, spec.Dir, spec.Args[0])
	if err != nil {
		return seen // the command ran; only how is unknown
	}
	for _, prog := range programs {
		p := Process{Program: prog.Path, Why: prog.WhyIgnored(*spec.Library)}
		if p.Why != "" {
			p.State = allocator.NotLoaded
		} else if loaded, known := prog.Listed(ctx, spec.Env, *spec.Library); known {
			p.State = allocator.NotLoaded
			if loaded {
				p.State = allocator.Loaded
			}
		}
		seen = append(seen, p)
	}
	return seen
}
