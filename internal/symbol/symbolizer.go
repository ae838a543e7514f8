package symbol

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/elfinfo/dpkg"
	"whyhot/internal/profile"
)

// Symbolizer names the addresses of profiles. It remembers demangled names and
// the kernel's symbols between profiles; binaries are opened anew for each.
type Symbolizer struct {
	opts     Options
	names    *demangler
	packages *dpkg.DB
	kernel   kernelNames
	vdso     vdsoNames
}

// New returns a symboliser. It reads nothing yet.
func New(opts Options) *Symbolizer {
	return &Symbolizer{
		opts:     opts,
		names:    newDemangler(opts.Parameters),
		packages: dpkg.Open(opts.Root),
		kernel:   kernelNames{root: opts.Root, cache: kernelCache{dir: opts.CacheDir, root: opts.Root}},
	}
}

// request is one mapping whose addresses want names.
type request struct {
	p    *profile.Profile
	id   profile.MappingID
	m    *profile.Mapping
	kind profile.Kind
	locs []profile.LocationID
	pids *pidTable
}

// processes are those that were sampled in the mapping.
func (r *request) processes() []int64 { return r.pids.of(r.p, r.id) }

// answer is what is known of a request: frames by position in request.locs, nil
// where nothing is known.
type answer struct {
	frames [][]profile.Frame
	sum    MappingSummary
}

// Symbolize returns p with a name for every location that has an address, has no
// name and can be named. What cannot be named stays as it is, and the summary
// tells why. When ctx ends, what was named until then is returned.
func (s *Symbolizer) Symbolize(ctx context.Context, p *profile.Profile) (*profile.Profile, Summary) {
	requests := collect(p)
	answers := make([]answer, len(requests))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range requests {
		g.Go(func() error {
			if ctx.Err() == nil {
				answers[i] = s.answer(ctx, &requests[i])
			}
			return nil
		})
	}
	_ = g.Wait() // no task fails: what goes wrong is in the summaries
	frames := make([][]profile.Frame, p.NumLocations())
	for i := range requests {
		for j, f := range answers[i].frames {
			frames[requests[i].locs[j]] = f
		}
	}
	named := p.Symbolized(func(id profile.LocationID) ([]profile.Frame, bool) {
		return frames[id], frames[id] != nil
	})
	return named, summarize(p, requests, answers)
}

// collect finds the locations that want names, by mapping.
func collect(p *profile.Profile) []request {
	at := make([]int, p.NumMappings())
	var requests []request
	pids := &pidTable{}
	for i := range p.NumLocations() {
		id := profile.LocationID(i)
		loc := p.Location(id)
		lines := p.Lines(id)
		if loc.Address == 0 || len(lines) != 1 {
			continue
		}
		fn := p.Function(lines[0].Function)
		if fn.Name != "" {
			continue
		}
		if at[loc.Mapping] == 0 {
			requests = append(requests, request{p: p, id: loc.Mapping, m: p.Mapping(loc.Mapping), kind: fn.Kind, pids: pids})
			at[loc.Mapping] = len(requests)
		}
		r := &requests[at[loc.Mapping]-1]
		r.locs = append(r.locs, id)
	}
	return requests
}

// pidTable tells which processes were sampled in each mapping. It is made on
// first use: most profiles have all their files, and no generated code.
type pidTable struct {
	once sync.Once
	pids [][]int64 // by mapping
}

func (t *pidTable) of(p *profile.Profile, m profile.MappingID) []int64 {
	t.once.Do(func() { t.pids = pidsByMapping(p) })
	return t.pids[m]
}

func pidsByMapping(p *profile.Profile) [][]int64 {
	var pids []int64
	number := map[int64]int{} // of a process, from 1
	of := make([]int, p.NumLabelSets())
	for i := range of {
		l, ok := p.Label(profile.LabelSetID(i), profile.LabelPID)
		if !ok || l.Num == 0 {
			continue
		}
		if number[l.Num] == 0 {
			pids = append(pids, l.Num)
			number[l.Num] = len(pids)
		}
		of[i] = number[l.Num]
	}
	out := make([][]int64, p.NumMappings())
	seen := make([]uint64, (len(out)*len(pids)+63)/64) // a bit for each pair
	for i := range p.Samples() {
		smp := &p.Samples()[i]
		process := of[smp.Labels] - 1
		if process < 0 {
			continue
		}
		for _, l := range p.Stack(smp.Stack) {
			m := p.Location(l).Mapping
			at := int(m)*len(pids) + process
			if bit := uint64(1) << (at % 64); seen[at/64]&bit == 0 {
				seen[at/64] |= bit
				out[m] = append(out[m], pids[process])
			}
		}
	}
	return out
}

// answer names the addresses of one mapping.
func (s *Symbolizer) answer(ctx context.Context, r *request) answer {
	switch classify(r.m.Path, r.kind) { //nolint:exhaustive // the others have no source of names
	case classKernel:
		return s.fromKernel(r)
	case classVDSO:
		return s.fromVDSO(r)
	case classJIT:
		return s.fromPerfMap(r)
	case classFile:
		return s.fromFile(ctx, r)
	default:
		return r.nothing(ReasonUnmapped, "the profile does not say what code was at these addresses", "")
	}
}

// nothing is the answer when no address can be named.
func (r *request) nothing(reason Reason, problem, help string) answer {
	return answer{frames: make([][]profile.Frame, len(r.locs)), sum: MappingSummary{Reason: reason, Problem: problem, Help: help}}
}

// fileOffset is the offset in the mapped file of a location.
func (r *request) fileOffset(id profile.LocationID) uint64 {
	return r.p.Location(id).Address - r.m.Start + r.m.Offset
}

// summarize counts, per mapping and by what the samples weigh.
func summarize(p *profile.Profile, requests []request, answers []answer) Summary {
	missing := make([]bool, p.NumLocations())
	out := Summary{Total: p.Total()}
	of := make([]int, p.NumMappings())
	for i := range requests {
		r, a := &requests[i], &answers[i]
		m := a.sum
		m.Mapping, m.Path, m.BuildID, m.Addresses = r.id, r.m.Path, r.m.BuildID, len(r.locs)
		for j, id := range r.locs {
			switch {
			case j >= len(a.frames) || a.frames[j] == nil:
				m.Missing++
				missing[id] = true
			case a.frames[j][0].Line > 0:
				m.Lines++
			default:
				m.Names++
			}
		}
		out.Mappings = append(out.Mappings, m)
		of[r.id] = i
	}
	for i := range p.Samples() {
		smp := &p.Samples()[i]
		if stack := p.Stack(smp.Stack); len(stack) > 0 && missing[stack[0]] {
			out.Mappings[of[p.Location(stack[0]).Mapping]].Self += smp.Value
		}
	}
	out.sort()
	return out
}
