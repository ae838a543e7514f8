package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"whyhot/internal/check/bump"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// coldPackages is a share of the CPU below which the packages that a change raises cannot
// make it slower by what anybody looks for: half a percent.
const coldPackages = 0.005

// dependencies looks at a change that raises versions of dependencies and nothing else.
// Where a profile says that none of them is hot, nothing is built and run, and done is true.
func (c *checking) dependencies(ctx context.Context) (done bool, err error) {
	b := c.bump(ctx)
	if b == nil {
		return false, nil
	}
	c.result.Bump = b
	p := c.request.Profile
	if p == nil {
		b.Hot = true
		b.Says = fmt.Sprintf("the change only raises %s; with --profile, a check says first whether they are hot at all", packages(len(b.Packages)))
		return false, nil
	}
	sum := 0.0
	for i := range b.Packages {
		sum += b.Packages[i].Share
	}
	slices.SortStableFunc(b.Packages, func(x, y Package) int { return -cmp.Compare(x.Share, y.Share) })
	b.Hot = sum >= coldPackages
	if b.Hot {
		b.Says = fmt.Sprintf("the change only raises %s; the hottest is %s with %s of the CPU in the profile", packages(len(b.Packages)), b.Packages[0].Name, percent.Text(b.Packages[0].Share))
		return false, nil
	}
	b.Says = fmt.Sprintf("the change only raises %s, which have %s of the CPU in the profile", packages(len(b.Packages)), percent.Text(sum))
	c.result.Verdict, c.result.Says = Undecided, b.Says+": nothing was run"
	return true, nil
}

func packages(n int) string {
	if n == 1 {
		return "the version of 1 package"
	}
	return fmt.Sprintf("the versions of %d packages", n)
}

// bump is nil where the change does something else than raise versions.
func (c *checking) bump(ctx context.Context) *Bump {
	b := &Bump{}
	var raised []bump.Raised
	for _, f := range c.diff.Files {
		if isText(f.Path) && !bump.Names(f.Path) {
			continue // documentation
		}
		if f.Gone || f.Was != f.Path || !bump.Names(f.Path) {
			return nil
		}
		list, ok := bump.Of(f.Path, c.repo.File(ctx, c.base, f.Path), c.repo.File(ctx, c.head, f.Path))
		if !ok {
			return nil
		}
		for _, r := range list {
			raised = append(raised, r)
			b.Packages = append(b.Packages, Package{Name: r.Name, From: r.From, To: r.To, File: f.Path})
		}
	}
	if len(b.Packages) == 0 {
		return nil
	}
	if p := c.request.Profile; p != nil {
		for i, s := range packageShares(p, raised) {
			b.Packages[i].Share = s
		}
	}
	return b
}

// packageShares are the parts of a profile's samples with code of each package on their
// stacks: what it calls is its doing, too.
func packageShares(p *profile.Profile, raised []bump.Raised) []float64 {
	of := make([][]int, p.NumFunctions())
	for id := range of {
		f := p.Function(profile.FunctionID(id)) //nolint:gosec // it counts functions
		for i := range raised {
			if raised[i].Code(f.Name, f.File, p.Mapping(f.Mapping).Path) {
				of[id] = append(of[id], i)
			}
		}
	}
	sums := make([]int64, len(raised))
	for _, s := range p.Samples() {
		in := map[int]bool{}
		for _, loc := range p.Stack(s.Stack) {
			for _, l := range p.Lines(loc) {
				for _, i := range of[l.Function] {
					in[i] = true
				}
			}
		}
		for i := range in {
			sums[i] += s.Value
		}
	}
	out := make([]float64, len(raised))
	for i, v := range sums {
		out[i] = share(v, p.Total())
	}
	return out
}
