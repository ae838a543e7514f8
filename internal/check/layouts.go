package check

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/host/environ"
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// large is a slow-down beyond what layouts were seen to make of equal programs, which is 15%.
const large = 0.25

// mostLayouts is how many more there are of each side, fewestLayouts how many there are
// however long they take to build. buildingPart is that of the budget after which no more
// are built; it comes on top of the budget.
const (
	mostLayouts   = 8
	fewestLayouts = 3
	buildingPart  = 0.25
)

// otherLayouts goes on with a comparison that found a slow-down, or one that is likely, in
// other layouts of the code: it builds both sides in these and runs them. It leaves the
// comparison as it is where the slow-down is larger than what layouts do. Where the build
// has no compiler whose layout can be changed, the rounds go on as before.
func (c *checking) otherLayouts(ctx context.Context, k *task, out *Command, all *evidence, left func() time.Duration) (*trial.Outcome, error) {
	if all.exact == Slower && all.interval.Low > 1+large {
		return nil, nil
	}
	base, head, err := c.buildLayouts(ctx, k)
	if err != nil {
		return nil, err
	}
	if len(base) == 0 && all.exact == Slower {
		out.Notes = append(out.Notes, "a layout of the code can make so small a difference, and the build has none that whyhot can change")
		return nil, nil
	}
	const fewest = 20 * time.Second
	plan := c.plan(k, left(), headSide)
	plan.Seed++
	if all.layouts = len(base); all.layouts > 0 {
		plan.Budget = max(fewest, plan.Budget)
		plan.Layouts, plan.Variants[0].Layouts, plan.Together = base, head, true
	}
	plan.Enough = func(base, change []float64) bool { return all.look(base, change, false) }
	o, err := c.trial(ctx, plan, k)
	if err != nil {
		return nil, err
	}
	all.keep(samples(o))
	return o, nil
}

// buildLayouts builds both sides in other layouts, in pairs that are made the same way;
// none where the build heeds none of it.
func (c *checking) buildLayouts(ctx context.Context, k *task) (base, head []variant.Layout, err error) {
	first, began := c.sides, c.machine.clock.Now()
	defer func() { c.building += c.machine.clock.Now().Sub(began) }()
	for n := range mostLayouts {
		if took := c.machine.clock.Now().Sub(began); n >= fewestLayouts && took > time.Duration(buildingPart*float64(c.request.Budget)) {
			break
		}
		c.listener.Step(fmt.Sprintf("building both sides in layout %d of %d", n+1, mostLayouts))
		var pair [2]variant.Layout
		for side, tree := range []string{c.base, c.head} {
			at, err := c.layout(ctx, tree, n)
			if err != nil {
				c.notef("another layout of the code could not be built: %v", err)
				return nil, nil, ctx.Err()
			}
			if at == none {
				return nil, nil, nil
			}
			if err := c.setUp(ctx, at, k); err != nil {
				return nil, nil, err
			}
			pair[side] = variant.Layout{Name: fmt.Sprintf("layout %d", n+1), Dir: c.stage.at(at, k.Dir)}
		}
		base, head = append(base, pair[baseSide]), append(head, pair[headSide])
		if n > 0 {
			continue
		}
		differ, err := differing(ctx, c.stage.path(baseSide, ""), c.stage.path(first, ""))
		if err != nil || len(differ) == 0 {
			return nil, nil, err
		}
	}
	return base, head, nil
}

// layout builds a tree in the n-th other layout and gives its side; none where the build
// has nothing that could be laid out.
func (c *checking) layout(ctx context.Context, tree string, n int) (int, error) {
	bin := filepath.Join(c.work, fmt.Sprintf("layout-%d", n))
	env := []string{
		// Go's linker shuffles functions by a seed; a build's own -ldflags go before.
		"GOFLAGS=" + environ.Get(c.request.Env, "GOFLAGS") + fmt.Sprintf(" -ldflags=-randlayout=%d", n+1),
	}
	if box, err := wrapper.Find(ctx, c.request.Env, c.repo.Root); err == nil {
		laid := variant.Alignments(nil, mostLayouts)[n].Build
		setup := wrapper.Setup{
			Dir: bin, Log: filepath.Join(c.work, fmt.Sprintf("layout-%d.calls", n)),
			Every: map[wrapper.Family][]string{}, Flags: map[wrapper.Family]wrapper.Flags{
				wrapper.GCC:   {Compile: strings.Fields(laid.CFlags)},
				wrapper.Clang: {Compile: strings.Fields(laid.CFlags)},
				wrapper.Rust:  {Compile: strings.Fields(laid.RustFlags)},
			},
		}
		if err := box.Install(setup); err != nil {
			return none, err
		}
		for _, kv := range box.Environ(bin, c.env()) {
			if name := environ.Name(kv); environ.Get(c.env(), name) != environ.Get([]string{kv}, name) && name != "GOFLAGS" {
				env = append(env, kv)
			}
		}
	} else if ctx.Err() != nil {
		return none, ctx.Err()
	}
	side := c.sides
	if err := c.repo.Export(ctx, tree, c.stage.side(side), c.when); err != nil {
		return none, err
	}
	c.sides++
	if err := c.share(side, c.request.Share); err != nil {
		return none, err
	}
	if err := c.build(ctx, side, "another layout", env); err != nil {
		return none, err
	}
	return side, c.shareInputs(side)
}
