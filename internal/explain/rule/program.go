package rule

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// program is the part of a profile that is judged together: one executable,
// however many processes and threads ran it. Whether an allocator was swapped
// or a library is mapped is true of a program, never of a machine.
type program struct {
	name  string // as a person calls it: the process, else the executable's base name
	main  profile.MappingID
	total int64
	count int64
	votes map[profile.MappingID]int64 // who the samples say the executable is
	pids  map[int64]bool              // its processes, as far as samples tell
	libs  []bool                      // per mapping: seen in the samples
	has   []int64                     // per set, the weight of samples with such a frame
	costs []cost                      // per entry
	// memory is, per way of getting it, what all of the program has of it.
	memory []memoryCost
}

// cost is what one entry costs in one program.
type cost struct {
	inclusive int64
	exclusive int64
	count     int64        // events behind the measured share
	memory    []memoryCost // per way of getting memory; nil where it gets none
}

// programs assigns every sample to a program.
type programs struct {
	list   []*program
	sample []int32 // per sample, index in list
}

var libraryName = regexp.MustCompile(`\.so(\.[0-9.]+)*(\.zlib-ng)?$|\.so\b|^ld-(linux|musl)|^ld-[0-9.]+\.so|^lib[^/]*\.dylib|\.node$|\.jsa$|\.oat$|\.dll$`)

// isExecutable says whether a mapping can be the program itself.
func isExecutable(m *profile.Mapping) bool {
	base := baseName(m.Path)
	switch {
	case base == "", strings.HasPrefix(base, "["), strings.HasPrefix(m.Path, "//anon"), strings.HasPrefix(base, "perf-"):
		return false
	case strings.HasPrefix(base, "memfd:"), strings.HasPrefix(m.Path, "/memfd:"), strings.HasPrefix(m.Path, "/dev/"), strings.HasSuffix(base, ".ko"):
		return false
	}
	return !libraryName.MatchString(base)
}

// splitter groups the samples of one profile.
type splitter struct {
	p          *profile.Profile
	executable []bool // per mapping
	byKey      map[string]int32
	renamed    map[named]string // what the process is called in most samples
	out        programs
	threads    map[string]map[int32]int64 // thread comm → program → weight
}

func splitPrograms(p *profile.Profile) *programs {
	s := &splitter{p: p, byKey: map[string]int32{}, threads: map[string]map[int32]int64{}}
	for i := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(i))
		s.executable = append(s.executable, isExecutable(m))
	}
	samples := p.Samples()
	s.out.sample = make([]int32, len(samples))
	s.findRenamed(samples)
	for i := range samples {
		s.out.sample[i] = s.first(&samples[i])
	}
	s.adoptOrphans()
	for i := range samples {
		pr := s.out.list[s.out.sample[i]]
		pr.total += samples[i].Value
		pr.count += samples[i].Count
		if pid, known := p.Label(samples[i].Labels, profile.LabelPID); known {
			if pr.pids == nil {
				pr.pids = map[int64]bool{}
			}
			pr.pids[pid.Num] = true
		}
	}
	for _, pr := range s.out.list {
		s.settle(pr)
	}
	return &s.out
}

// orphan marks a sample that neither a label nor a frame assigns.
const orphan = -1

// first assigns a sample by its process label, else by the executable nearest
// the root, else not yet.
func (s *splitter) first(sm *profile.Sample) int32 {
	main := s.rootExecutable(sm.Stack)
	if l, ok := s.p.Label(sm.Labels, profile.LabelProcess); ok && l.Str != "" {
		name := l.Str
		if to, ok := s.renamed[s.named(sm, name)]; ok {
			name = to
		}
		id := s.program("process:"+name, name)
		s.out.list[id].votes[main] += sm.Value
		return id
	}
	if main == 0 {
		return orphan
	}
	path := s.p.Mapping(main).Path
	id := s.program("executable:"+path, baseName(path))
	s.out.list[id].votes[main] += sm.Value
	if l, ok := s.p.Label(sm.Labels, profile.LabelThread); ok {
		t := s.threads[l.Str]
		if t == nil {
			t = map[int32]int64{}
			s.threads[l.Str] = t
		}
		t[id] += sm.Value
	}
	return id
}

// named is a process under one of its names.
type named struct {
	pid  int64
	name string
}

func (s *splitter) named(sm *profile.Sample, name string) named {
	pid, _ := s.p.Label(sm.Labels, profile.LabelPID)
	return named{pid: pid.Num, name: name}
}

// findRenamed finds processes that changed their name while they ran (process.title of
// Node.js, setproctitle): of the names that one executable has in one process, the one of
// most samples stands for all. What was another executable before exec keeps its name.
func (s *splitter) findRenamed(samples []profile.Sample) {
	type run struct {
		pid  int64
		main profile.MappingID
	}
	names := map[run]map[string]int64{}
	for i := range samples {
		l, ok := s.p.Label(samples[i].Labels, profile.LabelProcess)
		pid, known := s.p.Label(samples[i].Labels, profile.LabelPID)
		main := s.rootExecutable(samples[i].Stack)
		if !ok || !known || l.Str == "" || main == 0 {
			continue
		}
		r := run{pid.Num, main}
		if names[r] == nil {
			names[r] = map[string]int64{}
		}
		names[r][l.Str] += samples[i].Value
	}
	s.renamed = map[named]string{}
	for r, of := range names {
		if len(of) < 2 {
			continue
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(a, b string) int { return cmp.Compare(of[a], of[b]) })
		for name := range of {
			s.renamed[named{r.pid, name}] = most
		}
	}
}

func (s *splitter) program(key, name string) int32 {
	if id, ok := s.byKey[key]; ok {
		return id
	}
	id := int32(len(s.out.list))
	s.byKey[key] = id
	s.out.list = append(s.out.list, &program{
		name: name, votes: map[profile.MappingID]int64{}, libs: make([]bool, s.p.NumMappings()),
	})
	return id
}

func (s *splitter) rootExecutable(stack profile.StackID) profile.MappingID {
	locs := s.p.Stack(stack)
	for _, loc := range slices.Backward(locs) {
		if m := s.p.Location(loc).Mapping; m != 0 && s.executable[m] {
			return m
		}
	}
	return 0
}

// adoptOrphans gives samples without an executable (kernel work, broken stacks)
// to the program that the other samples of their thread belong to; what is left
// is one program of its own, or joins the only one there is.
func (s *splitter) adoptOrphans() {
	samples := s.p.Samples()
	for i := range s.out.sample {
		if s.out.sample[i] != orphan {
			continue
		}
		thread, ok := s.p.Label(samples[i].Labels, profile.LabelThread)
		if owner, known := heaviest(s.threads[thread.Str]); ok && known {
			s.out.sample[i] = owner
			continue
		}
		switch {
		case len(s.out.list) == 1 && !ok:
			s.out.sample[i] = 0
		case ok:
			s.out.sample[i] = s.program("thread:"+thread.Str, thread.Str)
		default:
			s.out.sample[i] = s.program("", "")
		}
	}
}

func heaviest[K ~int32 | ~uint32](m map[K]int64) (K, bool) {
	var best K
	found := false
	for k, v := range m {
		if !found || v > m[best] || (v == m[best] && k < best) {
			best, found = k, true
		}
	}
	return best, found
}

// settle decides which executable a program is.
func (s *splitter) settle(pr *program) {
	delete(pr.votes, 0)
	if id, ok := heaviest(pr.votes); ok {
		pr.main = id
	}
}
