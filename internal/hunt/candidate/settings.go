package candidate

import (
	"debug/buildinfo"
	"path/filepath"
	"regexp"
	"strings"

	"whyhot/internal/host/allocator"
)

// Runtime is what runs a program's own code.
type Runtime string

// The runtimes that have settings to try; Native is machine code on the C library.
const (
	Native Runtime = "native"
	Go     Runtime = "go"
	Python Runtime = "python"
	Node   Runtime = "node"
	JVM    Runtime = "jvm"
	Ruby   Runtime = "ruby"
	Dotnet Runtime = "dotnet"
	Other  Runtime = "other" // PHP, Perl, Lua, …: an interpreter on the C library
)

// Program is what a command starts.
type Program struct {
	Path    string // of the ELF file
	Runtime Runtime
	Static  bool // nothing can be preloaded
	Malloc  bool // it brings an allocator of its own
}

// interpreters by the names of their programs.
var interpreters = []struct {
	name    *regexp.Regexp
	runtime Runtime
}{
	{regexp.MustCompile(`^(python|pypy)[\d.]*$`), Python},
	{regexp.MustCompile(`^(node|nodejs)$`), Node},
	{regexp.MustCompile(`^java$`), JVM},
	{regexp.MustCompile(`^(ruby)[\d.]*$`), Ruby},
	{regexp.MustCompile(`^dotnet$`), Dotnet},
	{regexp.MustCompile(`^(perl|php|lua|luajit|tclsh|Rscript|guile|bash|sh|dash)[-\d.]*$`), Other},
}

// Inspect finds what a command starts, from the programs that its first word leads
// to, outermost last.
func Inspect(programs []allocator.Program) Program {
	if len(programs) == 0 {
		return Program{Runtime: Other}
	}
	last := programs[len(programs)-1]
	p := Program{Path: last.Path, Runtime: Native, Static: last.Static(), Malloc: last.Malloc != ""}
	name := filepath.Base(last.Path)
	if target, err := filepath.EvalSymlinks(last.Path); err == nil {
		name = filepath.Base(target)
	}
	for _, i := range interpreters {
		if i.name.MatchString(name) {
			p.Runtime = i.runtime
			return p
		}
	}
	if _, err := buildinfo.ReadFile(last.Path); err == nil {
		p.Runtime = Go
	}
	return p
}

// setting is a variable of a runtime that changes how fast programs are and
// nothing of what they compute.
type setting struct {
	assignment string
	expected   float64 // share of the time, where the profile says nothing of it
	caveat     string
}

// general are the settings worth a try on any program of a runtime. What the
// profile gives a reason for is in the catalogue and ranks by that reason.
var general = map[Runtime][]setting{
	Native: {
		// Documented in the GNU C library's manual, "Memory Allocation Tunables":
		// malloc asks for transparent huge pages, which saves page faults and misses
		// of the TLB in programs with large heaps.
		{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", 0.02, "needs glibc 2.35 or later; memory use may grow"},
	},
	Go: {
		// The Go team's "A Guide to the Go Garbage Collector": doubling GOGC halves
		// the collector's CPU for twice the heap.
		{"GOGC=400", 0.05, "the heap grows up to fivefold"},
	},
	JVM: {
		// "HotSpot Virtual Machine Garbage Collection Tuning Guide": the serial
		// collector suits small heaps and few CPUs, the parallel one throughput.
		{"JAVA_TOOL_OPTIONS=-XX:+UseSerialGC", 0.03, "pauses grow with the heap"},
		{"JAVA_TOOL_OPTIONS=-XX:+UseParallelGC", 0.03, "longer pauses than G1"},
		{"JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1", 0.02, "only for programs that end after seconds: the optimising compiler is off"},
	},
	Node: {
		{"NODE_OPTIONS=--max-semi-space-size=64", 0.04, "more memory per process"},
	},
	Ruby: {
		{"RUBY_YJIT_ENABLE=1", 0.05, "only where Ruby was built with YJIT (3.3 or later reads this variable)"},
		{"RUBYOPT=--yjit", 0.05, "only where Ruby was built with YJIT"},
		{"RUBY_GC_HEAP_GROWTH_FACTOR=2.5", 0.01, "memory use may grow"},
	},
}

// settings adds what can be tried on any program of this kind.
func (l *list) settings() {
	p := l.in.Program
	onLibc := p.Runtime != Go && p.Runtime != JVM && p.Runtime != Dotnet
	if onLibc && !p.Static && !p.Malloc {
		for _, name := range []string{"mimalloc", "jemalloc", "tcmalloc"} {
			c := l.preload(name)
			c.Expected = leastPreload
			_ = l.add(c) // one that is not installed is not tried; a finding says so
		}
	}
	for _, s := range general[p.Runtime] {
		if p.Static && p.Runtime == Native {
			continue
		}
		c := environment(s.assignment)
		c.Expected = s.expected
		if s.caveat != "" {
			c.Caveats = []string{s.caveat}
		}
		_ = l.add(c) // it names no library
	}
}

// Excludes says that two changes cannot be used together: one setting has one value, and
// what tunes the C library's malloc does nothing where another allocator takes its place.
func (c *Candidate) Excludes(o *Candidate) bool {
	return c.Group != "" && c.Group == o.Group || c.replacesMalloc() && o.tunesMalloc() || c.tunesMalloc() && o.replacesMalloc()
}

func (c *Candidate) replacesMalloc() bool { return c.Group == allocatorGroup }

// tunesMalloc knows the variables of the GNU C library's manual, "Malloc Tunable
// Parameters" and "Memory Allocation Tunables".
func (c *Candidate) tunesMalloc() bool {
	assignment, ok := strings.CutPrefix(c.Variant, "env=")
	return ok && (strings.HasPrefix(assignment, "MALLOC_") || strings.HasPrefix(assignment, "GLIBC_TUNABLES=glibc.malloc."))
}

// leastPreload is what an allocator is expected to save where no finding speaks of
// one.
const leastPreload = 0.01
