package rule

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/profile/tenths"
)

// verdict is one entry that holds in one program, with what is known so far.
type verdict struct {
	program   *program
	programID int32
	entry     *compiled
	entryID   int
	cost      cost
	share     float64 // of the program's samples
	margin    float64 // sampling error of share
	certainty finding.Certainty
	facts     []finding.Evidence
	trace     trace
	absorbed  []*verdict
	hidden    bool // it is not shown: it does not hold, or another speaks for it
	again     bool // a larger one of the entry is in another program
	developed bool // the library that it is about is the program's own
}

// isAside says whether a verdict yields to others: it names the program itself.
func (v *verdict) isAside() bool { return v.developed || v.entry.IsAside() }

// LeastSamples is the number of samples below which no cost is believed, however
// large its share of a tiny program.
const LeastSamples = 10

// runtimeShare is the part of a program's samples that must show a runtime's
// frames before the program is taken to run on it.
const runtimeShare = 0.05

// judge returns what costs enough and is not moot.
func (e *engine) judge() []*verdict {
	var out []*verdict
	for id, pr := range e.programs.list {
		if pr.total <= 0 {
			continue
		}
		runtimes := e.runtimesOf(pr)
		for n := range e.entries {
			c := &e.entries[n]
			v := &verdict{
				program: pr, programID: int32(id), entry: c, entryID: n, cost: pr.costs[n],
				share: float64(pr.costs[n].inclusive) / float64(pr.total), certainty: finding.Suspected,
			}
			v.margin = finding.ShareError(v.share, pr.count)
			if v.cost.count < LeastSamples || lowerBound(v.share, pr.count) < c.Match.MinShare || !e.worthAWord(v) || e.moot(v, runtimes) {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// worthAWord asks whether the best case is above what anybody can measure.
func (e *engine) worthAWord(v *verdict) bool {
	whole := float64(v.cost.inclusive) / float64(e.p.Total())
	return lowerBound(whole, e.p.Count())*v.entry.Reduction.High >= e.opts.noiseFloor()
}

// lowerBound is the lower end of the 95 % Wilson interval of a share seen in n
// samples.
func lowerBound(share float64, n int64) float64 {
	const z2 = 3.841458820694124 // square of the 97.5 % quantile of the normal distribution
	f := float64(n)
	centre := (share + z2/(2*f)) / (1 + z2/f)
	return max(0, centre-finding.ShareError(share, n))
}

func (e *engine) runtimesOf(pr *program) []string {
	var out []string
	for i, s := range e.runtimes {
		if s != noSet && float64(pr.has[s]) >= runtimeShare*float64(pr.total) {
			out = append(out, e.names[i])
		}
	}
	return out
}

// moot applies everything that a look at the samples alone can tell.
func (e *engine) moot(v *verdict, runtimes []string) bool {
	c, pr := v.entry, v.program
	switch {
	case len(c.Match.Runtime) > 0 && !intersect(c.Match.Runtime, runtimes):
		return true
	case intersect(c.Unless.Runtime, runtimes):
		return true
	case len(c.Match.Program) > 0 && !e.programNamed(pr, c.Match.Program):
		return true
	case e.programNamed(pr, c.Unless.Program):
		return true
	case c.Match.ProcessSeconds > 0 && e.isShort(pr, c.Match.ProcessSeconds):
		return true
	case c.seen != noSet && !pr.shows(c.seen, c.Match.SeenShare):
		return true
	case c.unless != noSet && pr.shows(c.unless, c.Unless.FrameShare):
		return true
	}
	for m, seen := range pr.libs {
		if seen && catalog.MatchAny(c.Unless.MappedLibrary, baseName(e.p.Mapping(profile.MappingID(m)).Path)) {
			return true
		}
	}
	return false
}

// isShort says whether the processes of a program use less CPU each than so many seconds.
// One process is as long as the recording.
func (e *engine) isShort(pr *program, seconds float64) bool {
	if len(pr.pids) < 2 || e.p.Meta.ValueType.Unit != "nanoseconds" {
		return false
	}
	return float64(pr.total)/float64(len(pr.pids)) < seconds*float64(time.Second)
}

// nearlyAll is the part of a cost above which the rest is no reason to advise a change.
const nearlyAll = 0.7

// beyondReach says whether a change of code is advised that only the authors of
// an interpreter could make: the program runs scripts, and nearly all of the
// cost is in the interpreter itself, or called from it. That a script's function
// is above in the stack does not put the call into the user's hands: a dictionary
// of Python hashes its keys with the interpreter's SipHash whoever looks them up.
func (e *engine) beyondReach(v *verdict) bool {
	if v.entry.Match.OwnCaller && e.askedByLibrary(v) {
		return true
	}
	if v.entry.Ecosystem != "native" || v.entry.Swap.Kind != "code" {
		return false
	}
	scripted := false
	for i, s := range e.runtimes {
		scripted = scripted || e.scripted[i] && s != noSet && v.program.shows(s, runtimeShare)
	}
	var called int64
	for _, w := range v.trace.callers {
		called += w
	}
	whole := float64(v.cost.inclusive)
	// An entry for one runtime is about what that offers to scripts, and so is one that names
	// functions of their language.
	ofRuntime := len(v.entry.Match.Runtime) > 0 || slices.ContainsFunc(v.entry.Match.Any, func(m catalog.Frame) bool {
		return slices.ContainsFunc(m.Kind, func(kind string) bool { return kind != "native" && kind != "unknown" })
	})
	return scripted && (float64(called) < 0.3*whole || !ofRuntime && float64(v.trace.beneath) > nearlyAll*whole)
}

// isAnotherOfThatName says whether a program has the name of a tool that an entry is about, and
// is the user's own: it lies where no package puts one.
//
// Example. locate, in the directory of a project, is not mlocate.
func (e *engine) isAnotherOfThatName(v *verdict) bool {
	names := v.entry.Match.Program
	if v.entry.Ecosystem != "cli" || len(names) == 0 {
		return false
	}
	for _, row := range v.trace.samples {
		for _, loc := range e.p.Stack(e.p.Samples()[row].Stack) {
			m := e.p.Location(loc).Mapping
			if m == 0 {
				continue
			}
			path := e.p.Mapping(m).Path
			if filepath.IsAbs(path) && catalog.MatchAny(names, filepath.Base(path)) {
				return !finding.IsPackaged(path) && !installed.MatchString(path)
			}
		}
	}
	return false
}

// installed is where programs are put that are not a system's.
var installed = regexp.MustCompile(`/s?bin/|^/(opt|nix|snap)/|/\.(local|cargo|go|pyenv|rbenv|sdkman|nvm)/`)

// leastTenths are those of a run in which what repeats is seen.
const leastTenths = 4

// isOnce says whether what an entry takes for repeated work is in few tenths of the run.
func (e *engine) isOnce(v *verdict) bool {
	if !v.entry.Match.Repeats {
		return false
	}
	if e.times == nil {
		c := tenths.New(e.p)
		e.times = &c
	}
	spread := e.times.Spread(v.trace.samples)
	return spread >= 0 && spread < leastTenths
}

// askedByLibrary says whether nearly all calls come from the language's standard library.
func (e *engine) askedByLibrary(v *verdict) bool {
	var library, called int64
	for line, w := range v.trace.callers {
		called += w
		f := *e.p.Function(line.Function)
		if v.entry.Ecosystem == "go" {
			f.Kind = profile.KindGo // also where only names are known
		}
		if origin.OfFunction(&f, e.p.Mapping(f.Mapping).Path) != origin.Own {
			library += w
		}
	}
	return float64(library) > nearlyAll*float64(called)
}

// shows says whether enough of a program's samples have a frame of a set; with
// a share of 0 one is enough.
func (pr *program) shows(s setID, share float64) bool {
	return pr.has[s] > 0 && float64(pr.has[s]) >= share*float64(pr.total)
}

func (e *engine) programNamed(pr *program, names []catalog.Pattern) bool {
	if len(names) == 0 {
		return false
	}
	return catalog.MatchAny(names, pr.name) || catalog.MatchAny(names, baseName(e.p.Mapping(pr.main).Path))
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// answer is what a condition says of a binary.
type answer uint8

const (
	unknown answer = iota
	holds
	fails
)

// confirm asks the facts. It returns false when they contradict the finding, or
// when one that the finding cannot do without is not known.
func (e *engine) confirm(v *verdict) bool {
	all, exact := len(v.entry.Confirm) > 0, true
	for i := range v.entry.Confirm {
		c := &v.entry.Confirm[i]
		mapping := v.program.main
		if c.Of == "library" {
			mapping = v.trace.library
		}
		a, text, trust := e.ask(c, e.p.Mapping(mapping))
		switch {
		case a == fails, a == unknown && c.Needs:
			return false
		case a == unknown:
			all = false
			continue
		}
		if trust != judge.BuildIDExact {
			exact = false
			text += " (read from the file of that path; the profile has no build ID to compare it with)"
		}
		v.facts = append(v.facts, finding.Evidence{Kind: "version", Text: text})
	}
	// Which of several candidates is faster, if one is, no fact about a binary can tell: the
	// facts then say that the advice applies, and only a trial says more.
	if all && exact && len(v.entry.Candidates) == 0 {
		v.certainty = finding.Confirmed
	}
	return true
}

// ask checks one condition against one binary.
func (e *engine) ask(c *catalog.Condition, m *profile.Mapping) (answer, string, judge.Trust) {
	b, trust := e.facts.Binary(m)
	if trust == judge.NoTrust || b == nil {
		return unknown, "", trust
	}
	q := question{c: c, b: b}
	q.symbols()
	q.sonames()
	q.texts()
	q.versions()
	if c.Static != nil {
		q.is(*c.Static == b.Static())
	}
	switch {
	case q.failed:
		return fails, "", trust
	case q.open:
		return unknown, "", trust
	}
	text := strings.NewReplacer("{version}", q.version, "{package}", q.pkg, "{binary}", baseName(m.Path)).Replace(c.Text)
	return holds, text, trust
}

// question gathers the answers to the parts of one condition: a part that fails
// fails the whole, a part that is not known leaves it open.
type question struct {
	c       *catalog.Condition
	b       judge.Binary
	failed  bool
	open    bool
	version string
	pkg     string
}

func (q *question) is(ok bool) { q.failed = q.failed || !ok }

func (q *question) symbols() {
	for _, re := range q.c.Defines {
		_, found, known := q.b.Defines(re.Regexp())
		q.open = q.open || !known
		q.is(found || !known)
	}
	for _, re := range q.c.Lacks {
		_, found, known := q.b.Defines(re.Regexp())
		q.open = q.open || !known
		q.is(!found)
	}
}

func (q *question) sonames() {
	needed := q.b.Needed()
	for _, re := range q.c.Needed {
		q.is(slices.ContainsFunc(needed, re.MatchString))
	}
	for _, re := range q.c.NotNeed {
		q.is(!slices.ContainsFunc(needed, re.MatchString))
	}
}

func (q *question) texts() {
	for _, re := range q.c.NoString {
		_, found := q.b.String(re.Regexp())
		q.is(!found)
	}
	if q.c.String != nil {
		var found bool
		q.version, found = q.b.String(q.c.String.Regexp())
		q.is(found)
	}
	if q.c.Producer == nil {
		return
	}
	producers := q.b.Producers()
	q.open = q.open || len(producers) == 0
	q.is(len(producers) == 0 || slices.ContainsFunc(producers, func(s string) bool {
		return q.c.Producer.MatchString(s) && (q.c.NotProducer == nil || !q.c.NotProducer.MatchString(s))
	}))
}

func (q *question) versions() {
	if q.c.Package != nil {
		name, version := q.b.Package()
		q.open = q.open || name == ""
		q.is(name == "" || q.c.Package.MatchString(name))
		q.pkg = name + " " + version
		if q.version == "" {
			q.version = version
		}
	}
	if q.version == "" {
		return
	}
	if q.c.Min != "" {
		q.is(CompareVersions(q.version, q.c.Min) >= 0)
	}
	if q.c.Below != "" {
		q.is(CompareVersions(q.version, q.c.Below) < 0)
	}
}
