package syscalls

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/startup"
)

// What a group of calls must show to be told.
const (
	leastShare    = 0.10 // of the profile, with sampling's error taken off: leastSure
	leastSure     = 0.07
	leastEvents   = 20
	sharePaths    = 0.20 // of calls by path that nobody counted
	leastOverhead = 0.6  // of the samples, where bytes were not counted
	mostOther     = 0.2  // of a kind's samples on sockets and the like
	mostBytes     = 512  // a call
	leastCalls    = 10_000
	leastRepeats  = 20   // calls for each path
	mostSynced    = 0.05 // samples of fsync for each of writing
	ownProgram    = 0.8  // of all calls of a kind, for what was counted to be of one program
)

// group is what one program spends on calls of a kind.
type group struct {
	program  string
	kind     kind
	name     string // of the most frequent call
	samples  []int32
	share    float64
	way      float64 // share of what the program's lines spend on the way to the calls besides
	overhead float64 // part of the samples that move nothing
	paid     []ownline.Paid
	counted  *profile.Calls
	reopened kind // what is done with a file that is opened for it: writes, reads or ""

	value, events, other, bare, pipes int64
	names                             map[string]int64
}

// program is what is known of one program of the profile.
type program struct {
	groups          map[kind]*group
	synced, listing int64
	companions      map[profile.Line][]int32 // samples of companion calls by own line
}

// small finds the groups of small calls, the dearest first.
func small(p *profile.Profile) []group {
	if p.Total() <= 0 {
		return nil
	}
	programs, all := gather(p)
	lines := ownline.Of(p)
	var out []group
	for _, name := range sortedNames(programs) {
		pr := programs[name]
		reopened := pr.join(p, lines)
		for _, k := range []kind{writes, reads, paths} {
			g := pr.groups[k]
			if g == nil {
				continue
			}
			g.program = name
			if k == paths {
				g.reopened = reopened
			}
			if k == paths && pr.listing > 0 || k == writes && float64(pr.synced) > mostSynced*float64(g.events) {
				continue
			}
			if g.told(p, float64(all[k])) {
				g.paid = lines.Pay(g.samples)
				g.way = float64(g.wayThere(p, lines)) / float64(p.Total())
				out = append(out, *g)
			}
		}
		if r, w := pr.groups[reads], pr.groups[writes]; r != nil && w != nil && r.pipes > 0 && w.pipes > 0 {
			// Messages between processes: each is waited for.
			out = slices.DeleteFunc(out, func(g group) bool { return g.program == name && g.kind != paths && 2*g.pipes > g.events })
		}
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(b.share, a.share) })
	return out
}

func sortedNames(m map[string]*program) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// gather reads all samples. What a runtime reads to start is left out.
func gather(p *profile.Profile) (programs map[string]*program, all map[kind]int64) {
	programs, all = map[string]*program{}, map[kind]int64{}
	r := newReader(p)
	lists, syncs := p.StacksWith(listing.MatchString), p.StacksWith(synced.MatchString)
	starts := startup.Within(p)
	lines := ownline.Of(p)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		label, _ := p.Label(s.Labels, profile.LabelProcess)
		pr := programs[label.Str]
		if pr == nil {
			pr = &program{groups: map[kind]*group{}, companions: map[profile.Line][]int32{}}
			programs[label.Str] = pr
		}
		c := r.of(s.Stack)
		if c == nil {
			switch {
			case lists(s.Stack):
				pr.listing += s.Count
			case syncs(s.Stack):
				pr.synced += s.Count
			}
			continue
		}
		all[c.kind] += s.Count
		if starts(s) {
			continue
		}
		if c.kind == companion {
			if line, _, ok := lines.Innermost(s.Stack); ok {
				pr.companions[line] = append(pr.companions[line], int32(i))
			}
			continue
		}
		if lists(s.Stack) {
			pr.listing += s.Count
		}
		g := pr.groups[c.kind]
		if g == nil {
			g = &group{kind: c.kind, names: map[string]int64{}}
			pr.groups[c.kind] = g
		}
		g.add(int32(i), s, c)
	}
	return programs, all
}

func (g *group) add(row int32, s *profile.Sample, c *call) {
	if c.other {
		g.other += s.Count
		return
	}
	if c.pipe {
		g.pipes += s.Count
	}
	if !c.moves {
		g.bare += s.Count
	}
	g.samples = append(g.samples, row)
	g.events += s.Count
	g.value += s.Value
	g.names[c.name] += s.Count
}

// join adds to looking files up what goes along with it in the same functions: closing a
// file, asking what it is, and, where it is opened each time, reading it or writing a piece
// to it: reopened is which, "" for neither.
func (pr *program) join(p *profile.Profile, lines *ownline.Lines) (reopened kind) {
	g := pr.groups[paths]
	if g == nil {
		return ""
	}
	functions := map[profile.FunctionID]int64{}
	for _, row := range g.samples {
		s := &p.Samples()[row]
		if line, _, ok := lines.Innermost(s.Stack); ok && lines.IsOwn(line.Function) {
			functions[line.Function] += s.Count
		}
	}
	opens, events := g.opens(), g.events
	for _, k := range []kind{reads, writes} {
		moved := pr.groups[k]
		if moved == nil || 2*opens < events || !moved.isWith(p, functions, lines) {
			continue
		}
		g.samples = append(g.samples, moved.samples...)
		g.events += moved.events
		g.value += moved.value
		g.bare += moved.bare
		reopened = k
		delete(pr.groups, k)
	}
	for line, rows := range pr.companions {
		if functions[line.Function] == 0 {
			continue
		}
		for _, row := range rows {
			g.samples = append(g.samples, row)
			g.events += p.Samples()[row].Count
			g.value += p.Samples()[row].Value
		}
	}
	slices.Sort(g.samples)
	return reopened
}

// opens is how many of the samples are in opening files.
func (g *group) opens() int64 {
	return g.names["open"] + g.names["openat"] + g.names["openat2"] + g.names["creat"]
}

// isWith says whether most of the calls are made by a function that looks files up about as
// often: half as many samples or more.
func (g *group) isWith(p *profile.Profile, lookedUp map[profile.FunctionID]int64, lines *ownline.Lines) bool {
	by := map[profile.FunctionID]int64{}
	for _, row := range g.samples {
		s := &p.Samples()[row]
		if line, _, ok := lines.Innermost(s.Stack); ok {
			by[line.Function] += s.Count
		}
	}
	for f, n := range by {
		if 2*n >= g.events && 2*lookedUp[f] >= n {
			return true
		}
	}
	return false
}

// told decides, and completes the group.
func (g *group) told(p *profile.Profile, ofKind float64) bool {
	g.share = float64(g.value) / float64(p.Total())
	if g.events < leastEvents || g.share < leastShare || g.share-finding.ShareError(g.share, p.Count()) < leastSure {
		return false
	}
	if float64(g.other) > mostOther*float64(g.events+g.other) {
		return false
	}
	g.overhead = float64(g.bare) / float64(g.events)
	for name, n := range g.names {
		if n > g.names[g.name] || n == g.names[g.name] && name < g.name {
			g.name = name
		}
	}
	if float64(g.events) >= ownProgram*ofKind {
		g.counted = countedOf(p, g.kind)
	}
	if g.kind == paths {
		if g.counted != nil {
			return g.counted.Paths > 0 && g.counted.Count >= leastCalls && g.counted.Count >= leastRepeats*g.counted.Paths
		}
		return g.share >= sharePaths
	}
	if g.counted != nil {
		return g.counted.Count >= leastCalls && g.counted.Bytes <= mostBytes*g.counted.Count
	}
	return g.overhead >= leastOverhead
}

// wayThere is what the lines of the group spend in the functions between them and the call
// without being in it: checking arguments, taking locks, making buffers.
func (g *group) wayThere(p *profile.Profile, lines *ownline.Lines) int64 {
	type way struct {
		from profile.Line
		by   profile.FunctionID
	}
	between := func(s *profile.Sample, do func(way)) {
		from, depth, ok := lines.Innermost(s.Stack)
		if !ok {
			return
		}
		seen := map[profile.FunctionID]bool{}
		for _, loc := range p.Stack(s.Stack)[:depth] {
			for _, l := range p.Lines(loc) {
				f := p.Function(l.Function)
				if f.Name != "" && f.Kind != profile.KindKernel && !seen[l.Function] {
					seen[l.Function] = true
					do(way{from, l.Function})
				}
			}
		}
	}
	values := map[way]int64{}
	for _, row := range g.samples {
		s := &p.Samples()[row]
		between(s, func(w way) { values[w] += s.Value })
	}
	sum := int64(0)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if _, in := slices.BinarySearch(g.samples, int32(i)); in {
			continue
		}
		on := false
		between(s, func(w way) { on = on || 2*values[w] >= g.value })
		if on {
			sum += s.Value
		}
	}
	return sum
}

// countedOf sums what was counted of the calls of a kind, nil where nothing was.
func countedOf(p *profile.Profile, k kind) *profile.Calls {
	var sum profile.Calls
	most := uint64(0)
	for _, c := range p.Meta.Calls {
		if kinds[c.Name] != k {
			continue
		}
		if c.Count > most {
			most, sum.Name = c.Count, c.Name
		}
		sum.Count += c.Count
		sum.Bytes += c.Bytes
		sum.Paths = max(sum.Paths, c.Paths)
		sum.Failed += c.Failed
	}
	if most == 0 {
		return nil
	}
	return &sum
}
