package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/perf"
	"whyhot/internal/collect/preload"
)

// Auto lets Choose decide.
const Auto = "auto"

// Samplers lists what there is, the one that sees most first.
func Samplers() []collect.Sampler {
	return []collect.Sampler{&ebpf.Sampler{}, &perf.Sampler{}, &preload.Sampler{}}
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

// choice is a sampler that works here, and why it was taken.
type choice struct {
	sampler collect.Sampler
	why     string
}

// Choose gives the sampler with which Record would begin.
func Choose(ctx context.Context, o Options) (collect.Sampler, error) {
	samplers, refusals := suited(Samplers(), o.Sampler, o.Settings)
	c, err := choose(ctx, samplers, o.Sampler, o.Target, refusals...)
	return c.sampler, err
}

// choose gives the sampler by name, or the first of all that works here, and
// says why. Asked for by name, it must work.
func choose(ctx context.Context, all []collect.Sampler, name string, t collect.Target, refusals ...error) (choice, error) {
	if name == "" || name == Auto {
		return chooseBest(ctx, all, t, refusals)
	}
	for _, s := range all {
		if s.Name() != name {
			continue
		}
		if err := s.Available(ctx, t); err != nil {
			return choice{}, fmt.Errorf("cannot record: %w", err)
		}
		return choice{s, "asked for"}, nil
	}
	return choice{}, fmt.Errorf("unknown sampler %q: there are %s", name, strings.Join(Names(), ", "))
}

func chooseBest(ctx context.Context, all []collect.Sampler, t collect.Target, refusals []error) (choice, error) {
	for _, s := range all {
		err := s.Available(ctx, t)
		if err == nil {
			return choice{s, reason(refusals)}, nil
		}
		// What is wrong with the target is wrong for every sampler.
		if un := (*collect.UnavailableError)(nil); !errors.As(err, &un) {
			return choice{}, err
		}
		refusals = append(refusals, err)
	}
	lines := make([]string, 0, len(refusals))
	for _, err := range refusals {
		lines = append(lines, "  "+err.Error())
	}
	return choice{}, fmt.Errorf("cannot record: no sampler works here\n%s\n  `whyhot doctor` tries all that recording needs", strings.Join(lines, "\n"))
}

// suited leaves out the samplers that cannot do what the settings ask for, with
// the reason. It does not judge one that the user named.
func suited(all []collect.Sampler, name string, set collect.Settings) (left []collect.Sampler, refusals []error) {
	if set.CallGraph == "" || set.CallGraph == collect.CallGraphAuto || name != "" && name != Auto {
		return all, nil
	}
	for _, s := range all {
		if s.Name() == ebpf.Name {
			refusals = append(refusals, &collect.UnavailableError{Sampler: ebpf.Name, Missing: "--call-graph selects another way to unwind stacks"})
			continue
		}
		left = append(left, s)
	}
	return left, refusals
}

// after are the samplers behind s in the list.
func after(all []collect.Sampler, s collect.Sampler) []collect.Sampler {
	for i := range all {
		if all[i] == s {
			return all[i+1:]
		}
	}
	return nil
}

func reason(refusals []error) string {
	if len(refusals) == 0 {
		return "it works here and sees the most"
	}
	lines := make([]string, 0, len(refusals))
	for _, err := range refusals {
		lines = append(lines, err.Error())
	}
	return "fallback, since better samplers do not work here:\n  " + strings.Join(lines, "\n  ")
}
