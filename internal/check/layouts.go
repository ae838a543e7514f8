package check

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/host/environ"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// small is a difference that a layout of the code can make: alignment alone was seen to
// move programs by several percent.
const small = 0.10

// mostLayouts is how many more there are of each side.
const mostLayouts = 3

// otherLayouts builds both sides in other layouts of their code where a slow-down is so
// small that a layout can make it, and has it stand only if it does in those, too. Where
// the build has no compiler whose layout can be changed, it stands.
func (c *checking) otherLayouts(ctx context.Context, k *task, out *Command, i stat.Interval, left func() time.Duration) (Verdict, error) {
	if c.request.Build == "" || i.Estimate > 1+small {
		return Slower, nil
	}
	first := c.sides
	base := []variant.Layout{{Name: "as built", Dir: c.stage.at(baseSide, k.Dir)}}
	head := []variant.Layout{{Name: "as built", Dir: c.stage.at(headSide, k.Dir)}}
	began := c.machine.clock.Now()
	for n := range mostLayouts {
		c.listener.Step(fmt.Sprintf("building both sides in layout %d of %d", n+1, mostLayouts))
		for _, of := range []struct {
			side  int
			tree  string
			lists *[]variant.Layout
		}{{baseSide, c.base, &base}, {headSide, c.head, &head}} {
			side, err := c.layout(ctx, of.tree, n)
			if err != nil {
				c.notef("another layout of the code could not be built: %v", err)
				return Slower, ctx.Err()
			}
			if side == none {
				return Slower, nil
			}
			if err := c.setUp(ctx, side, k); err != nil {
				return Slower, err
			}
			*of.lists = append(*of.lists, variant.Layout{Name: fmt.Sprintf("layout %d", n+1), Dir: c.stage.at(side, k.Dir)})
		}
		if n == 0 {
			same, err := differing(ctx, c.stage.path(baseSide, ""), c.stage.path(first, ""))
			if err != nil {
				return Slower, err
			}
			if len(same) == 0 {
				return Slower, nil // the build heeds none of it
			}
		}
	}
	const fewest, each = 20 * time.Second, 4
	took := c.machine.clock.Now().Sub(began)
	plan := c.plan(k, max(fewest, time.Duration(laying*float64(left()+took))), headSide)
	plan.Layouts, plan.Variants[0].Layouts = base, head
	plan.Rounds = each * len(base)
	plan.Seed++
	o, err := c.trial(ctx, plan, k)
	if err != nil {
		return Slower, err
	}
	across := o.Variants[0].AcrossLayouts
	if across == nil || across.Low <= 0 {
		return Slower, nil
	}
	// The trial's ratio is the base's time over the change's.
	l := stat.Interval{Estimate: 1 / across.Estimate, Low: 1 / across.High, High: 1 / across.Low}
	out.Layouts = interval(l)
	if l.Low > 1 && l.Estimate > 1+c.request.Limit {
		return Slower, nil
	}
	return Undecided, nil
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
		laid := variant.Alignments(nil, variant.MostLayouts-1)[n].Build
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
