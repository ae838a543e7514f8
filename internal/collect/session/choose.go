package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/collect/perf"
	"whyhot/internal/collect/preload"
)

// Auto lets Choose decide.
const Auto = "auto"

// Samplers lists what there is, the one that sees most first.
func Samplers() []collect.Sampler {
	return []collect.Sampler{&perf.Sampler{}, &preload.Sampler{}}
}

// Names lists what --sampler takes.
func Names() []string {
	all := Samplers()
	names := make([]string, 0, len(all)+1)
	names = append(names, Auto)
	for _, s := range all {
		names = append(names, s.Name())
	}
	return names
}

// choose gives the sampler by name, or the first of all that works here, and
// says why. Asked for by name, it must work.
func choose(ctx context.Context, all []collect.Sampler, name string, t collect.Target) (collect.Sampler, string, error) {
	if name == "" || name == Auto {
		return chooseBest(ctx, all, t)
	}
	for _, s := range all {
		if s.Name() != name {
			continue
		}
		if err := s.Available(ctx, t); err != nil {
			return nil, "", fmt.Errorf("cannot record: %w", err)
		}
		return s, "asked for", nil
	}
	return nil, "", fmt.Errorf("no sampler is called %q: there are %s", name, strings.Join(Names(), ", "))
}

func chooseBest(ctx context.Context, all []collect.Sampler, t collect.Target) (collect.Sampler, string, error) {
	var refusals []error
	for _, s := range all {
		err := s.Available(ctx, t)
		if err == nil {
			return s, reason(refusals), nil
		}
		// What is wrong with the target is wrong for every sampler.
		if un := (*collect.UnavailableError)(nil); !errors.As(err, &un) {
			return nil, "", err
		}
		refusals = append(refusals, err)
	}
	lines := make([]string, 0, len(refusals))
	for _, err := range refusals {
		lines = append(lines, "  "+err.Error())
	}
	return nil, "", fmt.Errorf("cannot record: no sampler works here\n%s", strings.Join(lines, "\n"))
}

func reason(refusals []error) string {
	if len(refusals) == 0 {
		return "it works here and sees most"
	}
	lines := make([]string, 0, len(refusals))
	for _, err := range refusals {
		lines = append(lines, err.Error())
	}
	return "it works here, which others do not:\n  " + strings.Join(lines, "\n  ")
}
