package check

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/check/origin"
	"whyhot/internal/check/revision"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// falseFunctions is how often at most any function is said to have grown that has not.
const falseFunctions = 0.05

// fewEvents of both sides together are too few to show growth after the correction.
const fewEvents = 10

// code is a function as both sides know it.
type code struct{ name, where string }

// cost is what a function takes in one profile.
type cost struct {
	own, total int64 // values
	events, in tally // samples of own and of total
	function   profile.FunctionID
	inTree     bool
	line       int             // the hottest of its own
	stack      profile.StackID // the heaviest that ends in it
	touched    bool            // the change touches one of its lines
}

// account charges each sample to the innermost function of the tree on its stack: what a
// function has libraries and its language's runtime do for it is its own cost. A sample
// without one is charged to where it was taken.
type account struct {
	p     *profile.Profile
	tree  *origin.Tree
	known map[profile.FunctionID]home
	costs map[code]*cost
	total int64
	all   tally
	// recording is that of each run, where there are several.
	recording map[int64]int
}

// home is what a function is known by on both sides, and whether it is of the tree.
type home struct {
	code

	inTree bool
}

func accountOf(p *profile.Profile, tree *origin.Tree, diff *revision.Diff) *account {
	a := &account{p: p, tree: tree, known: map[profile.FunctionID]home{}, costs: map[code]*cost{}, total: p.Total()}
	heaviest := map[code]int64{}
	lines := map[code]map[int]int64{}
	for _, s := range p.Samples() {
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		a.all.add(pid.Num, s.Count)
		seen := map[code]bool{}
		var own code
		charged := false
		note := func(k code, l profile.Line, inTree bool) *cost {
			x := a.costs[k]
			if x == nil {
				x = &cost{function: l.Function, inTree: inTree}
				a.costs[k] = x
			}
			if !seen[k] {
				seen[k] = true
				x.total += s.Value
				x.in.add(pid.Num, s.Count)
			}
			if inTree && l.Line > 0 && diff != nil && diff.Touches(a.key(l.Function).where, int(l.Line)) {
				x.touched = true
			}
			return x
		}
		for _, loc := range p.Stack(s.Stack) {
			for _, l := range p.Lines(loc) {
				if !a.inTree(l.Function) {
					continue
				}
				k := a.key(l.Function)
				x := note(k, l, true)
				if charged {
					continue
				}
				charged, own = true, k
				x.own += s.Value
				x.events.add(pid.Num, s.Count)
				if lines[k] == nil {
					lines[k] = map[int]int64{}
				}
				lines[k][int(l.Line)] += s.Value
			}
		}
		if !charged {
			leaf := profile.Line{}
			if st := p.Stack(s.Stack); len(st) > 0 {
				leaf = p.Lines(st[0])[0]
			}
			own = a.key(leaf.Function)
			x := note(own, leaf, false)
			x.own += s.Value
			x.events.add(pid.Num, s.Count)
		}
		if s.Value > heaviest[own] {
			heaviest[own] = s.Value
			a.costs[own].stack = s.Stack
		}
	}
	for k, of := range lines {
		best := int64(0)
		for line, v := range of {
			if v > best || v == best && line < a.costs[k].line {
				best, a.costs[k].line = v, line
			}
		}
	}
	return a
}

// home is where a function is: its file in the tree, another file, or its binary.
func (a *account) home(id profile.FunctionID) home {
	if h, ok := a.known[id]; ok {
		return h
	}
	f := a.p.Function(id)
	binary := a.p.Mapping(f.Mapping).Path
	h := home{code: code{view.Name(a.p, id), f.File}}
	if rel, ok := a.tree.File(f.Name, f.File, binary); ok {
		h.where, h.inTree = rel, true
	}
	if f.File == "" {
		h.where = filepath.Base(binary)
		h.inTree = f.Name != "" && a.tree.Has(binary) && !strings.HasPrefix(f.Name, "[")
	}
	a.known[id] = h
	return h
}

// key is what a function is known by on both sides.
func (a *account) key(id profile.FunctionID) code { return a.home(id).code }

// inTree says whether a function is of the tree: its source, or its program where the
// source is not known.
func (a *account) inTree(id profile.FunctionID) bool { return a.home(id).inTree }

// grown are the functions that take more after the change than before, and those of them
// whose work was somewhere else before.
//
// A function's shares of the events on both sides are compared, those of the change times
// what its runs take of the base's; S. Holm's procedure (1979) bounds the chance that any of
// the functions is named wrongly.
func grown(before, after *account, w work, diff *revision.Diff) (list, moved []Function) {
	type candidate struct {
		key  code
		p    float64
		b, a cost
	}
	var all []candidate
	for k := range after.costs {
		x := candidate{key: k, a: *after.costs[k]}
		if was := before.costs[k]; was != nil {
			x.b = *was
		}
		if x.b.events.n+x.a.events.n < fewEvents {
			continue // however they fall on the sides, they show nothing
		}
		if strings.HasPrefix(k.name, "[") {
			continue // "[truncated stack]" is no function that anybody can look at
		}
		all = append(all, x)
	}
	c := comparison{before: before, after: after, work: w}
	for i := range all {
		c.hear(all[i].b.events, all[i].a.events)
	}
	for i := range all {
		_, all[i].p = c.growth(all[i].b.events, all[i].a.events)
	}
	slices.SortFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.p, y.p), cmp.Compare(x.key.name, y.key.name), cmp.Compare(x.key.where, y.key.where))
	})
	corrected := 0.0
	for i, x := range all {
		corrected = min(1, max(corrected, x.p*float64(len(all)-i)))
		if corrected > falseFunctions {
			break
		}
		f := after.function(x.key, &x.a, diff)
		f.Before, f.After = share(x.b.own, before.total), w.ratio*share(x.a.own, after.total)
		f.Delta, f.P = f.After-f.Before, corrected
		if f.Why = c.shifted(x.key, f.Delta); f.Why != "" {
			moved = append(moved, f)
			continue
		}
		list = append(list, f)
	}
	byCost := func(x, y Function) int {
		return cmp.Or(-cmp.Compare(x.Delta, y.Delta), cmp.Compare(x.Name, y.Name))
	}
	slices.SortStableFunc(list, byCost)
	slices.SortStableFunc(moved, byCost)
	return list, moved
}

func share(v, total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(v) / float64(total)
}

// shifted says where the work of a function that grew was before, "" where it is new: a
// function around it, or itself with all that it calls, takes no more than before. Only a
// function around nearly all of it counts: of many callers, one takes as much as before
// even where the work is new.
func (c *comparison) shifted(k code, growth float64) string {
	const part = 4 // a quarter of the growth is no growth
	for i, around := range c.after.chain(k) {
		was, is := c.before.costs[around], c.after.costs[around]
		if was == nil || is == nil {
			continue
		}
		delta := c.work.ratio*share(is.total, c.after.total) - share(was.total, c.before.total)
		if _, p := c.growth(was.in, is.in); delta >= growth/part || p < falseFunctions {
			continue
		}
		if c.after.within(k, around) < (1-1.0/part)*float64(c.after.costs[k].own) {
			continue
		}
		if i == 0 {
			return "moved, not added: with what it calls, it takes as much as before"
		}
		return "moved, not added: " + around.name + ", which calls it, takes as much as before"
	}
	return ""
}

// within is what is charged to a function while another one is around it, or the same.
func (a *account) within(k, around code) float64 {
	if k == around {
		return float64(a.costs[k].own)
	}
	sum := int64(0)
	for _, s := range a.p.Samples() {
		if on := a.treeOn(s.Stack); len(on) > 0 && on[0] == k && slices.Contains(on, around) {
			sum += s.Value
		}
	}
	return float64(sum)
}

// chain are a function and those around it on its heaviest stack, innermost first.
func (a *account) chain(k code) []code {
	out := []code{k}
	for _, key := range a.treeOn(a.costs[k].stack) {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// treeOn are the functions of the tree on a stack, innermost first.
func (a *account) treeOn(stack profile.StackID) []code {
	var out []code
	for _, loc := range a.p.Stack(stack) {
		for _, l := range a.p.Lines(loc) {
			if a.inTree(l.Function) {
				out = append(out, a.key(l.Function))
			}
		}
	}
	return out
}

// function is one as results have it.
func (a *account) function(k code, x *cost, diff *revision.Diff) Function {
	f := a.p.Function(x.function)
	out := Function{Name: k.name, Line: x.line, Edited: x.touched, lineless: x.inTree && f.File == ""}
	if x.inTree && f.File != "" {
		out.File = k.where
	} else {
		out.File, out.Line = f.File, int(f.StartLine)
	}
	if path := a.p.Mapping(f.Mapping).Path; path != "" {
		out.Binary = filepath.Base(path)
	}
	if f.StartLine > 0 && diff != nil && diff.TouchesAny(out.File, int(f.StartLine), max(int(f.StartLine), x.line)) {
		out.Edited = true
	}
	const most = 12
	stack := a.p.Stack(x.stack)
	for _, loc := range stack {
		for _, l := range a.p.Lines(loc) {
			key := a.key(l.Function)
			if key == k || !a.inTree(l.Function) || len(out.Callers) >= most {
				continue
			}
			file := key.where
			if a.p.Function(l.Function).File == "" {
				file = "" // where it is, is its binary
			}
			out.Callers = append(out.Callers, Frame{key.name, file, int(l.Line)})
		}
	}
	slices.Reverse(out.Callers)
	return out
}
