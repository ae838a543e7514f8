package syscalls

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/startup"
)

// What short processes must show to be told.
const (
	mostOfShort    = 20 * time.Millisecond // of CPU that a short one takes
	leastProcesses = 100                   // with a sample: shorter ones have none
	leastOfAll     = 0.3                   // of the CPU, in short ones
	leastAround    = 0.5                   // of that in starting, ending and feeding them
	mostPrograms   = 3                     // in a title
	manyOfAll      = 20                    // a program is many with one in so many
)

// processes are many short ones: a script that starts a program or two for each line of its input.
type processes struct {
	number   int
	samples  []int32
	value    int64
	around   int64    // of the value: in the kernel and before main
	programs []string // that they execute, the dearest first
	often    []string // those of them that are many, without shells
	ofMake   bool     // a make runs beside them
}

// shortProcesses gives them, nil where there are few.
//
// Method. The samples are added up by process. A process that is started for a little work costs
// what the kernel and the dynamic linker do for it, a millisecond or two; a compiler that is
// short, too, spends most of its time in itself. A process takes the name of what it executed
// last, so that the copies of a shell that become another program count as that.
//
// Example. For each of 300 lines a shell runs cut, sed and awk: 2,179 processes of 2.9 ms.
func shortProcesses(p *profile.Profile) *processes {
	if p.Total() <= 0 || p.Meta.ValueType.Unit != "nanoseconds" {
		return nil
	}
	type one struct {
		rows        []int32
		value, last int64
		name        string
	}
	byID := map[int64]*one{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		id, ok := p.Label(s.Labels, profile.LabelPID)
		if !ok {
			continue
		}
		o := byID[id.Num]
		if o == nil {
			o = &one{}
			byID[id.Num] = o
		}
		o.rows = append(o.rows, int32(i)) //nolint:gosec // rows are numbered so
		o.value += s.Value
		if name, ok := p.Label(s.Labels, profile.LabelProcess); ok && (o.name == "" || s.Time >= o.last) {
			o.name, o.last = name.Str, s.Time
		}
	}
	out := &processes{}
	started := startup.Within(p)
	values, numbers := map[string]int64{}, map[string]int{}
	for _, o := range byID {
		out.ofMake = out.ofMake || o.name == "make" || o.name == "gmake"
		if time.Duration(o.value) > mostOfShort {
			continue
		}
		out.number++
		out.value += o.value
		out.samples = append(out.samples, o.rows...)
		values[o.name] += o.value
		numbers[o.name]++
		for _, row := range o.rows {
			if s := &p.Samples()[row]; isKernel(p, s) || started(s) {
				out.around += s.Value
			}
		}
	}
	if out.number < leastProcesses || float64(out.value) < leastOfAll*float64(p.Total()) || float64(out.around) < leastAround*float64(out.value) {
		return nil
	}
	slices.Sort(out.samples)
	out.programs = slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b))
	})
	for _, name := range out.programs {
		if numbers[name]*manyOfAll >= out.number && !shells.MatchString(name) {
			out.often = append(out.often, name)
		}
	}
	return out
}

func isKernel(p *profile.Profile, s *profile.Sample) bool {
	stack := p.Stack(s.Stack)
	return len(stack) > 0 && p.Function(p.Lines(stack[0])[0].Function).Kind == profile.KindKernel
}

var (
	shells = regexp.MustCompile(`^(ba|da|z|k|a)?sh$`)
	// textTools do what a shell or one pass of awk does, too.
	textTools    = regexp.MustCompile(`^(g|m)?(awk|cut|sed|tr|e?grep|head|tail|basename|dirname|expr|bc|date|wc|cat|printf|echo|test|seq|rev|uniq|sort|paste|readlink|realpath|stat)$`)
	interpreters = regexp.MustCompile(`^(python[\d.]*|node|perl|ruby|php[\d.]*|java|lua[\d.]*|Rscript|R)$`)
)

func (x *processes) finding(s judge.Subject) judge.Found {
	share := float64(x.value) / float64(s.Profile.Total())
	around := float64(x.around) / float64(s.Profile.Total())
	margin := finding.ShareError(share, s.Profile.Count())
	each := time.Duration(x.value / int64(x.number)).Round(100 * time.Microsecond)
	// A shell's own copies are named last: what they were made for says more.
	programs := slices.Clone(x.programs)
	slices.SortStableFunc(programs, func(a, b string) int {
		return cmp.Compare(afterOthers(a), afterOthers(b))
	})
	shown := programs[:min(mostPrograms, len(programs))]
	f := finding.Finding{
		Rule: RuleProcesses, Certainty: finding.Suspected,
		ID:    finding.ID(RuleProcesses, finding.Place{}, programs[0]),
		Title: fmt.Sprintf("Many short processes (%s); do their work in one", strings.Join(shown, ", ")),
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Fix:   finding.Fix{Kind: "code", Steps: x.steps()},
	}
	f.Evidence = []finding.Evidence{
		{Kind: "calls", Share: &share, Text: fmt.Sprintf("at least %s processes, %s of CPU each", judge.Times(uint64(x.number)), each)}, //nolint:gosec // a count
		{Kind: "calls", Share: &around, Text: percent.Text(float64(x.around)/float64(x.value)) + " of that is in the kernel and the dynamic linker: starting a process, feeding it and taking it down"},
	}
	low, likely := 0.3*around, 0.9*share //nolint:mnd // a part must stay; most of what is in the programs themselves goes, too
	f.Gain = &finding.Gain{Low: low, High: share, Likely: likely,
		Basis: "The work that the programs do takes a small part of what starting them does; what must stay a process of its own is the lower end."}
	f.Next = s.Versus(f.ID)
	paths, texts := scripts(s)
	setLines(&f, startedIn(paths, texts, x.often))
	return judge.Found{Finding: f, Samples: x.samples, Removes: true}
}

// afterOthers is 1 for a shell, 0 for another program.
func afterOthers(name string) int {
	if shells.MatchString(name) {
		return 1
	}
	return 0
}

// steps are what to do for the programs that are started.
func (x *processes) steps() (out []string) {
	is := func(re *regexp.Regexp) bool { return slices.ContainsFunc(x.programs, re.MatchString) }
	if x.ofMake {
		out = append(out, "make: NAME := $(shell …) runs it once; with = it runs at each use of the variable, in each target and each make below")
	}
	if is(textTools) {
		out = append(out,
			"Shell: let read split the line (while IFS=' ' read -r a b rest), and ${x%% *}, ${x##*/}, ${x//a/b}, [[ $x =~ … ]] and $((…)) take it apart; $(<file) for $(cat file)",
			lookedUp,
			"Or one awk or sed over the whole input, outside of the loop")
	}
	if slices.Contains(x.programs, "git") {
		out = append(out, "git: one git cat-file --batch, git log --name-only or git for-each-ref --format for all objects")
	}
	if is(interpreters) {
		out = append(out, "An interpreter takes longer to start than to work: give one process all inputs, or keep one that is asked")
	}
	return append(out, "One process for many inputs (xargs -n 500, find -exec … {} +), or a library that does the same within the program")
}
