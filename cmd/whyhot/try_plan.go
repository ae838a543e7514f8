package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial/variant"
)

// complete turns the flags into a plan.
func (f *tryFlags) complete(ctx context.Context, args []string, lookup tryLookup, errOut io.Writer) error {
	p := &f.plan
	var err error
	if p.Command, err = f.build.words(args); err != nil {
		return err
	}
	if err := f.fromProfile(ctx, lookup); err != nil {
		return err
	}
	if len(p.Command) == 0 {
		return errors.New("no command to try: put it behind --, as in: whyhot try --preload mimalloc -- COMMAND")
	}
	if err := f.settings(); err != nil {
		return err
	}
	return f.nameVariants(errOut, true)
}

// settings fills what of a plan does not depend on command and variants.
func (f *tryFlags) settings() error {
	p := &f.plan
	if err := f.checkNumbers(); err != nil {
		return err
	}
	if err := f.metric.fill(p); err != nil {
		return err
	}
	var err error
	if p.Ignore, err = parseIgnore(f.ignore); err != nil {
		return err
	}
	p.Env = os.Environ()
	p.HardBudget = f.budgetGiven
	if p.Rounds > 0 && !f.budgetGiven {
		p.Budget = 0
	}
	if !f.seedGiven {
		p.Seed = uint64(rand.Uint32()) //nolint:gosec // it orders runs and keeps no secret; 32 bits survive every JSON reader
	}
	return nil
}

// nameVariants makes the variants that the flags name.
func (f *tryFlags) nameVariants(errOut io.Writer, needed bool) error {
	p := &f.plan
	found, missing := variant.Preloads(f.preload, allocator.NewFinder())
	environments, err := variant.Environments(f.env)
	if err != nil {
		return err
	}
	commands, err := variant.Commands(f.versus)
	if err != nil {
		return err
	}
	if p.Variants, err = f.build.variants(found, environments); err != nil {
		return err
	}
	p.Variants = slices.Concat(p.Variants, commands, f.whatIf.variants)
	if needed && len(p.Variants) == 0 {
		if len(missing) > 0 {
			return errors.Join(missing...)
		}
		return errors.New("nothing to try: name a variant, for example --preload mimalloc,jemalloc,tcmalloc, --env NAME=VALUE, --versus 'NAME=OTHER COMMAND', or --lto, --pgo, --cflags together with --build")
	}
	for _, err := range missing {
		_, _ = fmt.Fprintf(errOut, "left out: %v\n", err)
	}
	return nil
}

func (f *tryFlags) checkNumbers() error {
	p := &f.plan
	switch {
	case p.Rounds < 0 || p.MinRounds < 0 || p.WarmUps < 1:
		return errors.New("--runs and --min-runs cannot be negative, and --warm-up is at least 1")
	case p.Budget < 0 || p.Timeout < 0 || f.budgetGiven && p.Budget == 0:
		return errors.New("--budget and --timeout are times above 0, for example 2m")
	}
	if err := f.checkLayouts(); err != nil {
		return err
	}
	for _, c := range p.Pin {
		if c < 0 || c >= 1024 {
			return fmt.Errorf("--pin: there is no CPU %d", c)
		}
	}
	return nil
}

// fromProfile takes command and variants from a profile where they are not
// given.
func (f *tryFlags) fromProfile(ctx context.Context, lookup tryLookup) error {
	if f.finding != "" && f.profile == "" {
		return errors.New("--finding needs --profile: the file that the finding is in")
	}
	if f.profile == "" {
		return nil
	}
	target, err := lookup(ctx, f.profile, f.finding, f.rules)
	if err != nil {
		return err
	}
	if len(f.plan.Command) == 0 {
		if len(target.Command) == 0 {
			return fmt.Errorf("%s does not say which command was recorded: put it behind --", f.profile)
		}
		f.plan.Command = target.Command
	}
	if len(f.preload) == 0 && len(f.env) == 0 && len(f.versus) == 0 && !f.build.choices.Any() {
		f.preload, f.env = target.Preload, target.Env
		if f.finding != "" && len(f.preload) == 0 && len(f.env) == 0 {
			return fmt.Errorf("finding %s proposes nothing that can be tried without a change to the program: make the change in a copy and name it, for example --versus 'changed=OTHER COMMAND'", f.finding)
		}
	}
	return nil
}
