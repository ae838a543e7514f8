// Package build says how the binaries of a profile were built, and which of that
// makes all else moot: code that was not optimised, or that a sanitizer checks.
//
// It owns the reading of a build from what a binary says: its debug information
// (DW_AT_producer), the switches that gcc records, and the names that instrumentation
// needs. It takes a profile and elfinfo's facts and gives a Quality for each hot
// mapping, and findings. It must never disassemble, or judge a single function.
package build

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/elfinfo"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Quality is how a binary was built. What the binary is silent about is empty.
type Quality struct {
	Binary  string  `json:"binary"`
	BuildID string  `json:"build_id,omitempty"`
	Share   float64 `json:"share"` // of the CPU: what ran in it
	Package string  `json:"package,omitempty"`
	// Compilers are those of the most units first, with their versions.
	Compilers []string `json:"compilers,omitempty"`
	// Level is the -O of the most units, "" where they do not tell; Mixed are others.
	Level string   `json:"level,omitempty"`
	Mixed []string `json:"mixed,omitempty"`
	March string   `json:"march,omitempty"`
	LTO   bool     `json:"lto"`
	PGO   bool     `json:"pgo"`
	// FramePointers: told by a switch, not by the code.
	FramePointers bool     `json:"frame_pointers"`
	Interposition string   `json:"interposition,omitempty"` // "off" where a switch says so
	Sanitizers    []string `json:"sanitizers,omitempty"`
	Instrumented  []string `json:"instrumented,omitempty"` // by coverage or a profiler
	Assertions    []string `json:"assertions,omitempty"`
	// Debug: rustc made a debug build, which says no -O.
	Debug     bool `json:"debug,omitempty"`
	Static    bool `json:"static"`
	Stripped  bool `json:"stripped"`
	DebugInfo bool `json:"debug_info"`
	// Why the binary was not looked at, "" where it was.
	Problem string `json:"problem,omitempty"`
}

// Judge is the judge of how the binaries of a profile were built.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	quality := Of(s.Profile, s.Facts.Info)
	var out judge.Answer
	if s.All {
		for _, f := range General(s.Profile, quality) {
			out.Found = append(out.Found, judge.Found{Finding: f})
		}
	}
	for _, f := range append(Findings(s.Profile, quality), forSize(s.Profile, quality, s.Facts.Source)...) {
		out.Found = append(out.Found, judge.Found{Finding: f})
	}
	return out, nil
}

// Facts reads the binary of a mapping; nil where it is not the one that ran.
type Facts func(m *profile.Mapping) *elfinfo.Info

// least is the share of the CPU from which a mapping is told of.
const least = 0.01

// Of gives the mappings that take a hundredth of the CPU, hottest first.
func Of(p *profile.Profile, facts Facts) []Quality {
	self := map[string]int64{}
	mapping := map[string]*profile.Mapping{}
	for in := range p.Innermosts() {
		if k := in.Code.Kind; in.Location.Mapping == 0 || k == profile.KindKernel || k == profile.KindVDSO {
			continue
		}
		m := p.Mapping(in.Location.Mapping)
		self[m.Path] += in.Sample.Value
		mapping[m.Path] = m
	}
	var out []Quality
	for _, path := range slices.Sorted(maps.Keys(self)) {
		m := mapping[path]
		share := float64(self[path]) / float64(max(p.Total(), 1))
		if share < least || !filepath.IsAbs(path) {
			continue
		}
		q := Quality{Binary: path, BuildID: m.BuildID, Share: share}
		if info := facts(m); info != nil {
			q.read(info)
		} else {
			q.Problem = "the file is missing here, or has changed since the recording"
		}
		out = append(out, q)
	}
	slices.SortStableFunc(out, func(a, b Quality) int { return -cmp.Compare(a.Share, b.Share) })
	return out
}

// What instrumentation leaves behind.
var (
	sanitizers = map[string]*regexp.Regexp{
		"AddressSanitizer":           regexp.MustCompile(`^__asan_(init|report_load|version_mismatch_check)`),
		"ThreadSanitizer":            regexp.MustCompile(`^__tsan_(init|read\d|func_entry)`),
		"MemorySanitizer":            regexp.MustCompile(`^__msan_(init|warning)`),
		"UndefinedBehaviorSanitizer": regexp.MustCompile(`^__ubsan_handle_`),
	}
	// Linked into what is counted.
	counters = map[string]*regexp.Regexp{
		"coverage or counts for PGO (--coverage, -fprofile-generate)": regexp.MustCompile(`^(__gcov_(init|merge_\w+)|__llvm_profile_(runtime|register_function\w*|instrument_\w+))$`),
	}
	// Called in the C library.
	tracers = map[string]*regexp.Regexp{
		"gprof (-pg)": regexp.MustCompile(`^(_?mcount|__fentry__)$`),
		"function tracing (-finstrument-functions)": regexp.MustCompile(`^__cyg_profile_func_enter$`),
	}
	assertions = map[string]*regexp.Regexp{
		"assert (no -DNDEBUG)":                       regexp.MustCompile(`^__assert_(fail|rtn)$`),
		"of the C++ library (-D_GLIBCXX_ASSERTIONS)": regexp.MustCompile(`^_ZSt21__glibcxx_assert_fail`),
	}
)

// What a debug build of Rust has as functions of its own: checks that a release build leaves
// out, or inlines where somebody asks for them.
var (
	preconditions = regexp.MustCompile(`::precondition_check$|18precondition_check(17h[0-9a-f]{16}E)?$`)
	overflows     = regexp.MustCompile(`panic_const_(add|sub|mul)_overflow`)
)

func (q *Quality) read(info *elfinfo.Info) {
	q.Static, q.Stripped, q.DebugInfo = info.Static, info.Stripped, info.DebugInfo
	if info.Package.Name != "" {
		q.Package = strings.TrimSpace(info.Package.Name + " " + info.Package.Version)
	}
	anywhere := func(re *regexp.Regexp) bool { return len(info.ImportsMatch(re)) > 0 || len(info.DefinesMatch(re)) > 0 }
	q.Sanitizers, q.Instrumented = present(sanitizers, anywhere), present(counters, anywhere)
	// A C library defines what others import: only those that use it count.
	imports := func(re *regexp.Regexp) bool { return len(info.ImportsMatch(re)) > 0 }
	q.Instrumented = append(q.Instrumented, present(tracers, imports)...)
	q.Assertions = present(assertions, imports)
	q.Debug = len(info.DefinesMatch(overflows)) > 0 && len(info.DefinesMatch(preconditions)) > 0
	levels, silent := map[string]int{}, 0
	for _, p := range info.Producers {
		if strings.HasPrefix(p.Text, "GNU AS") || p.Compiler == "" {
			continue // assembler has no optimiser
		}
		if name := strings.TrimSpace(p.Compiler + " " + p.Version); !slices.Contains(q.Compilers, name) {
			q.Compilers = append(q.Compilers, name)
		}
		if l, ok := p.OptLevel(); ok {
			levels["-O"+l] += p.Units
		} else {
			silent += p.Units
		}
		q.switches(p.Flags)
		q.LTO = q.LTO || p.SeesWhole()
	}
	for _, line := range info.CommandLines {
		words := strings.Fields(line)
		q.switches(words)
		for _, w := range words {
			if strings.HasPrefix(w, "-O") && len(info.Producers) == 0 {
				levels[w]++
			}
		}
	}
	if len(q.Compilers) == 0 {
		q.Compilers = info.Compilers
	}
	all := slices.SortedFunc(maps.Keys(levels), func(a, b string) int {
		return cmp.Or(-cmp.Compare(levels[a], levels[b]), cmp.Compare(a, b))
	})
	// Of a Go program with a little C in it, or one of Rust, C's units say nothing of the rest.
	if len(all) > 0 && levels[all[0]] >= silent {
		q.Level, q.Mixed = all[0], all[1:]
	}
}

func present(of map[string]*regexp.Regexp, has func(*regexp.Regexp) bool) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if has(of[name]) {
			out = append(out, name)
		}
	}
	return out
}

func (q *Quality) switches(flags []string) {
	for _, f := range flags {
		switch {
		case strings.HasPrefix(f, "-march="):
			q.March = strings.TrimPrefix(f, "-march=")
		case strings.HasPrefix(f, "-flto"):
			q.LTO = true
		case strings.HasPrefix(f, "-fprofile-use"), strings.HasPrefix(f, "-fprofile-instr-use"), strings.HasPrefix(f, "-fauto-profile"):
			q.PGO = true
		case f == "-fno-omit-frame-pointer":
			q.FramePointers = true
		case f == "-fno-semantic-interposition", f == "-fvisibility=hidden":
			q.Interposition = "off"
		}
	}
}

// The rules that this package has: what they find makes every other finding of the
// binary moot.
const (
	RuleUnoptimised  = "build-unoptimised"
	RuleSanitizer    = "build-sanitizer"
	RuleInstrumented = "build-instrumented"
)

// RuleGeneral is what may be gained by every program: it makes nothing moot.
const RuleGeneral = "build-plain"

const (
	general     = 0.2  // of the CPU: a binary that is worth a build of one's own
	mostGeneral = 0.15 // of its share
)

// IsMoot says whether a rule's findings come first: as long as they hold, others about
// the same binary may be gone after a rebuild.
func IsMoot(rule string) bool {
	return rule == RuleUnoptimised || rule == RuleSanitizer || rule == RuleInstrumented
}

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool { return IsMoot(rule) || rule == RuleGeneral || rule == RuleSize }

// kind is that of the evidence, and of the fix.
const kind = "build"

// large is the share of the CPU from which a build is worth a finding.
const large = 0.05

// General are findings that hold for nearly every program: a hot binary whose build
// tells its flags, and that it used neither counts of a run nor the whole program.
func General(p *profile.Profile, all []Quality) []finding.Finding {
	var out []finding.Finding
	for _, q := range all {
		if q.Share < general || q.Problem != "" || q.Level == "" || q.PGO && q.LTO || q.Level == "-O0" {
			continue
		}
		var lacks, flags []string
		if !q.LTO {
			lacks, flags = append(lacks, "link-time optimisation"), append(flags, "-flto")
		}
		if !q.PGO {
			lacks, flags = append(lacks, "counts of a run (PGO)"), append(flags, "-fprofile-generate, a run, -fprofile-use")
		}
		f := of(p, q, RuleGeneral, 0, mostGeneral, "what they usually bring")
		f.Certainty, f.General, f.Aside = finding.Suspected, true, true
		f.Title = filepath.Base(q.Binary) + " was built without " + strings.Join(lacks, " and ")
		f.Evidence = []finding.Evidence{{Kind: kind, Text: "its flags: " + strings.Join(append([]string{q.Level}, q.Compilers[:min(1, len(q.Compilers))]...), ", ") + ", without " + strings.Join(lacks, " and ")}}
		f.Fix.Steps = []string{"rebuild with " + strings.Join(flags, ", and ") + "; whyhot try build --pgo --lto measures it"}
		if q.Package != "" {
			f.Fix.Caveats = append(f.Fix.Caveats, "it is of the package "+q.Package+": a build of one's own has to be kept up to date")
		}
		out = append(out, f)
	}
	return out
}

// of is a finding about a binary, without what it says. A fix gives back from low to high of its
// share.
func of(p *profile.Profile, q Quality, rule string, low, high float64, basis string) finding.Finding {
	share := q.Share
	margin := finding.ShareError(share, p.Count())
	place := finding.Place{Binary: q.Binary, BuildID: q.BuildID}
	return finding.Finding{
		ID: finding.ID(rule, place), Rule: rule, Certainty: finding.Confirmed, Place: place,
		Share: finding.Share{Exclusive: &share, Error: &margin},
		Gain:  &finding.Gain{Low: low * share, High: high * share, Basis: basis + "; not measured on this program"},
		Fix:   finding.Fix{Kind: kind},
	}
}

// units says how much of a binary has its level.
func units(q Quality) string {
	if len(q.Mixed) == 0 {
		return "all units"
	}
	return "most units; others have " + strings.Join(q.Mixed, ", ")
}

// usualCost is what an estimate of such a build rests on.
const usualCost = "what such builds usually cost"

// measuredCost is that of builds without optimisation: 4.7×, 7.7×, 8.8× and 6.6× of C++, 8.3× of Rust.
const measuredCost = "five programs that whoever made them had built so took 4.7 to 8.8 times the CPU (bench/catalog-reach.md)"

const again = "record the rebuilt program, and look again: what else is said of this binary may be gone"

// Findings are about mappings whose build makes all else moot.
func Findings(p *profile.Profile, all []Quality) []finding.Finding {
	var out []finding.Finding
	add := func(q Quality, rule, title string, low, likely, high float64, evidence, step string) {
		f := of(p, q, rule, low, high, usualCost)
		if f.Gain.Likely = likely * q.Share; likely > 0 {
			f.Gain.Basis = measuredCost
		}
		f.Title, f.Evidence = title, []finding.Evidence{{Kind: kind, Text: evidence}}
		f.Fix.Steps, f.Fix.Caveats = []string{step, again}, []string{"a build for debugging or tests is meant to be slow: profile the one that is shipped"}
		out = append(out, f)
	}
	for _, q := range all {
		if q.Share < large || q.Problem != "" {
			continue
		}
		name := filepath.Base(q.Binary)
		if len(q.Sanitizers) > 0 {
			add(q, RuleSanitizer, name+" is built with "+strings.Join(q.Sanitizers, " and "), 0.3, 0, 0.9,
				"it has the functions of "+strings.Join(q.Sanitizers, ", "), "rebuild without -fsanitize")
		}
		if len(q.Instrumented) > 0 {
			add(q, RuleInstrumented, name+" counts its own steps: "+strings.Join(q.Instrumented, ", "), 0.1, 0, 0.7,
				"it has the functions of "+strings.Join(q.Instrumented, ", "), "rebuild without the switches in brackets")
		}
		if q.Level == "-O1" || q.Level == "-Og" {
			add(q, RuleUnoptimised, name+" is compiled with "+q.Level+", or most of it is", 0, 0, 0.3,
				"its debug information says "+q.Level+" of "+units(q), "rebuild with -O2 (CMake: -DCMAKE_BUILD_TYPE=Release; Meson: --buildtype=release)")
		}
		if q.Debug {
			add(q, RuleUnoptimised, name+" is a debug build of Rust", 0.3, 0.85, 0.95,
				"it has the checks of a debug build as functions of their own (precondition_check, panic_const_add_overflow)", "cargo build --release")
		}
		if q.Level == "-O0" {
			add(q, RuleUnoptimised, name+" is compiled without optimisation, or most of it is", 0.3, 0.85, 0.95,
				"its debug information says -O0, or gcc without -O, of "+units(q), "rebuild with -O2 (CMake: -DCMAKE_BUILD_TYPE=Release; Meson: --buildtype=release)")
		}
	}
	return out
}
