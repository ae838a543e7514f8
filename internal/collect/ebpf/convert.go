package ebpf

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"
	"unique"

	"go.opentelemetry.io/ebpf-profiler/host"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/reporter"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"

	"whyhot/internal/collect/branch"
	"whyhot/internal/collect/goroutine"
	"whyhot/internal/collect/statement"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// converter turns traces into rows of a profile. One goroutine uses it.
type converter struct {
	b          *profile.Builder
	tasks      *tasks
	files      *files
	rate       *rate
	from       time.Time   // earlier samples do not count
	times      sampleTimes // what rows have of the samples' times
	frames     map[unique.Handle[libpf.Frame]]profile.LocationID
	mappings   map[mappingKey]*mapping
	labels     map[labelKey]profile.LabelSetID
	stack      []profile.LocationID
	samples    int64
	perl       bool                // there are frames of Perl
	off        *offCPU             // nil where they are not recorded
	goroutines *goroutine.Recorder // likewise
	pid        uint32              // of the trace under way
	cut        map[int]int64       // samples whose stack broke off, by the error's number
	// seesMappings: the profiler's kernel part looks at the memory map itself where it knows
	// no code, and tells generated code from that of a file.
	seesMappings bool
	// recursions are the samples too deep to be walked, by the function that calls itself.
	recursions map[string]int64
	warnings   []string
	statements *statement.Recorder // nil: not asked for
	branches   *branch.Recorder    // the same
	disturbed  time.Duration       // samples that were about its probes
	native     map[profile.LocationID]nativeCode
	markers    []uint64      // of the V8 frames of the trace under way
	pythons    []pythonPlace // of its Python frames
	lines      pythonLines
	perls      []uint64          // bodies of the CVs of its Perl frames, 0 for those with a glob
	subs       map[subKey]string // names of Perl's subroutines
	raw        *libpf.EbpfTrace  // the trace under way, as the kernel gave it
	natives    []host.FileID     // files of the native frames of the trace under way
	seen       seenMappings
	v8         map[string]v8Kinds // by program
	returns    *returns
	erlangs    erlangs
	walked     map[string]bool // programs with frames of generated code that no interpreter reads
}

var _ reporter.TraceReporter = (*converter)(nil)

// mappingKey is one segment of one binary: the kernel may map it in pieces.
type mappingKey struct {
	path, buildID string
	bias          uint64 // address less file offset
}

// mapping is how far the pieces of a segment that were met reach.
type mapping struct {
	id           profile.MappingID
	start, limit uint64
}

// labelKey is the label set of a sample.
type labelKey struct {
	process, thread, container, service string
	system, statement                   string
	pid                                 uint32
}

func newConverter(t *tasks, f *files, r *rate) *converter {
	return &converter{
		b: profile.NewBuilder(), tasks: t, files: f, rate: r,
		frames:   map[unique.Handle[libpf.Frame]]profile.LocationID{},
		mappings: map[mappingKey]*mapping{}, labels: map[labelKey]profile.LabelSetID{}, cut: map[int]int64{},
		recursions: map[string]int64{}, v8: map[string]v8Kinds{}, native: map[profile.LocationID]nativeCode{},
		lines: pythonLines{}, subs: map[subKey]string{}, seen: seenMappings{}, returns: newReturns(f), erlangs: erlangs{}, walked: map[string]bool{},
	}
}

// restart begins the next profile. A profile of its own for each batch keeps
// memory in proportion to what one batch holds.
func (c *converter) restart() {
	was := *c
	*c = *newConverter(c.tasks, c.files, c.rate)
	c.from, c.v8, c.times, c.seesMappings = was.from, was.v8, was.times, was.seesMappings
	c.returns, c.statements, c.lines, c.subs, c.seen = was.returns, was.statements, was.lines, was.subs, was.seen
}

// hit tells whether samples fall into a file.
func (c *converter) hit(file string) bool {
	for k := range c.mappings {
		if k.path == file {
			return true
		}
	}
	return false
}

// warn adds what the user should know of the profile.
func (c *converter) warn(text string) { c.warnings = append(c.warnings, text) }

// about is told of each trace before the profiler names its frames.
func (c *converter) about(t *libpf.EbpfTrace) {
	c.markers = markersOf(c.markers[:0], t)
	c.pythons = pythonsOf(c.pythons[:0], t)
	c.perls = perlsOf(c.perls[:0], t)
	c.raw = t
}

// ReportTraceEvent implements reporter.TraceReporter.
func (c *converter) ReportTraceEvent(t *libpf.Trace, m *samples.TraceEventMeta) error {
	pid := uint32(m.PID)
	at := time.Unix(0, int64(m.Timestamp))
	if !c.tasks.belongs(pid) || at.Before(c.from) {
		return nil
	}
	c.tasks.sampled[pid], c.pid = true, pid
	waits := m.ProfileType != nil && m.ProfileType.SampleType == offCPUType
	if waits && c.off == nil {
		return nil
	}
	if !waits && c.branches.Disturbs(pid, int64(m.Timestamp)) {
		c.disturbed += c.rate.period(at)
		return nil
	}
	if !waits {
		c.samples++
	}
	c.stack = c.stack[:0]
	marked, pythons := 0, 0
	if len(c.pythons) > 0 && len(c.pythons) != countOf(t.Frames, isPython) { // one could not be read
		c.pythons = c.pythons[:0]
	}
	perls := 0
	if len(c.perls) > 0 && len(c.perls) != countOf(t.Frames, isPerl) { // as for Python
		c.perls = c.perls[:0]
	}
	natives := 0
	c.natives = c.natives[:0]
	if countOf(t.Frames, isUnmapped) > 0 { // few traces have one
		c.natives = nativesOf(c.natives, c.raw)
		if len(c.natives) != countOf(t.Frames, isNative) { // some have been named as another language's
			c.natives = c.natives[:0]
		}
		c.seen.learn(t.Frames, c.natives)
	}
	var w walk
	for _, h := range t.Frames {
		f := h.Value()
		if isNative(&f) && natives < len(c.natives) {
			if !f.Mapping.Valid() {
				h = c.seen.remapped(h, c.natives[natives])
				f = h.Value()
			}
			natives++
		}
		if f.Type.IsError() {
			if (f.Type.IsAbort() || f.AddressOrLineno != 0) && !w.root {
				if !waits {
					c.countCut(t, int(f.AddressOrLineno), at)
				}
				c.stack = append(c.stack, c.truncated())
			}
			continue
		}
		if !c.follows(&w, &f, m.ExecutablePath.String()) {
			if !waits {
				c.cut[noFrames]++
			}
			c.stack = append(c.stack, c.truncated())
			break
		}
		if isMarked(&f) {
			if marked++; marked <= len(c.markers) && f.FunctionName.String() == v8Unknown {
				c.stack = append(c.stack, c.v8Frame(m.ExecutablePath.String(), pid, c.markers[marked-1]))
				continue
			}
		}
		if w.generated {
			c.stack = append(c.stack, c.generatedFrame(w.address))
			continue
		}
		if isPython(&f) {
			if pythons++; pythons <= len(c.pythons) {
				h = c.pythonFrame(h, c.pythons[pythons-1])
			}
		}
		if isPerl(&f) {
			if perls++; perls <= len(c.perls) && c.perls[perls-1] != 0 {
				h = c.perlFrame(h, c.perls[perls-1])
			}
		}
		c.stack = append(c.stack, c.frame(h))
	}
	if waits {
		c.wait(m, at)
		return nil
	}
	if c.branches != nil && len(c.stack) > 0 { // a trace may have no frames
		if code, is := c.native[c.stack[0]]; is && !finding.IsPackaged(code.path) {
			c.branches.Sample(pid, code.path, code.address)
		}
	}
	c.b.Sample(profile.Sample{
		Stack: c.b.Stack(c.stack), Labels: c.labelsOf(m, at), Time: c.times.ofProcess(pid, at.Sub(c.from), at), Count: 1, Value: int64(c.rate.period(at)),
	})
	return nil
}

func (c *converter) truncated() profile.LocationID {
	fn := c.b.Function(profile.Function{Name: profile.TruncatedStack})
	return c.b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
}

func (c *converter) labelsOf(m *samples.TraceEventMeta, at time.Time) profile.LabelSetID {
	k := labelKey{
		process: c.tasks.name(uint32(m.PID)), thread: m.Comm.String(),
		container: m.ContainerID.String(), service: c.tasks.service(uint32(m.PID)), pid: uint32(m.PID),
	}
	k.system, k.statement = c.statementOf(uint32(m.TID), at)
	if k.container == "" { // the profiler knows fewer forms
		k.container = c.tasks.container(k.pid)
	}
	if k.process == "" {
		k.process = cmp.Or(path.Base(m.ExecutablePath.String()), k.thread)
		if k.process == "." {
			k.process = k.thread
		}
	}
	id, ok := c.labels[k]
	if !ok {
		id = c.b.Labels(k.labels())
		c.labels[k] = id
	}
	return id
}

func (k *labelKey) labels() []profile.Label {
	out := []profile.Label{{Key: profile.LabelPID, Num: int64(k.pid)}}
	for _, l := range []profile.Label{
		{Key: profile.LabelProcess, Str: k.process},
		{Key: profile.LabelThread, Str: k.thread},
		{Key: profile.LabelContainer, Str: k.container},
		{Key: profile.LabelService, Str: k.service},
		{Key: profile.LabelDatabase, Str: k.system},
		{Key: profile.LabelStatement, Str: k.statement},
	} {
		if l.Str != "" {
			out = append(out, l)
		}
	}
	return out
}

// Ruby's methods that are written in C have names only where the library has a
// symbol table. The profiler's word for those without is not the user's.
const (
	unknownC  = "<unknown cfunc>"
	methodInC = "[method in C]"
)

// frame is the location of one frame.
func (c *converter) frame(h unique.Handle[libpf.Frame]) profile.LocationID {
	id, ok := c.frames[h]
	if !ok {
		f := h.Value()
		id = c.newFrame(&f)
		c.frames[h] = id
	}
	return id
}

func (c *converter) newFrame(f *libpf.Frame) profile.LocationID {
	kind := kindOf(f.Type)
	switch kind { //nolint:exhaustive // the others are named by their runtime
	case profile.KindKernel:
		return c.kernelFrame(f)
	case profile.KindNative:
		return c.nativeFrame(f)
	}
	fn := profile.Function{Name: f.FunctionName.String(), File: f.SourceFile.String(), Kind: kind}
	c.perl = c.perl || kind == profile.KindPerl
	if fn.Name == unknownC {
		fn.Name, fn.File = methodInC, ""
	}
	line := int32(f.SourceLine)
	if f.Type.IsInterpType(libpf.Python) {
		// Two methods of one name in one file are told apart by where they start.
		fn.StartLine = max(line-int32(f.FunctionOffset), 0)
	}
	return c.b.Location(0, 0, kind, profile.Line{Function: c.b.Function(fn), Line: line})
}

var kinds = map[libpf.InterpreterType]profile.Kind{
	libpf.Native: profile.KindNative, libpf.Kernel: profile.KindKernel, libpf.Python: profile.KindPython,
	libpf.PHP: profile.KindPHP, libpf.PHPJIT: profile.KindPHP, libpf.HotSpot: profile.KindJava, libpf.Ruby: profile.KindRuby,
	libpf.Perl: profile.KindPerl, libpf.V8: profile.KindJS, libpf.Dotnet: profile.KindDotNet, libpf.Go: profile.KindGo,
	libpf.BEAM: profile.KindJIT, libpf.LuaJIT: profile.KindJIT,
}

func kindOf(t libpf.FrameType) profile.Kind { return kinds[t.Interpreter()] }

const (
	kernelFile = "vmlinux" // what the profiler calls the kernel itself
	kernelName = "[kernel.kallsyms]"
	vdsoName   = "[vdso]"
)

// kernelFrame is a frame of the kernel, which the profiler has named. Its address
// is an offset in the kernel or in a module.
func (c *converter) kernelFrame(f *libpf.Frame) profile.LocationID {
	name, buildID := kernelName, ""
	if f.Mapping.Valid() {
		m := f.Mapping.Value()
		file := m.File.Value()
		if base := file.FileName.String(); base != kernelFile {
			name = "[" + base + "]"
		}
		buildID = strings.ToLower(file.GnuBuildID)
	}
	addr := uint64(f.AddressOrLineno)
	m := c.mapping(mappingKey{path: name, buildID: buildID}, addr, addr+1)
	if f.FunctionName == libpf.NullString {
		return c.b.Location(m, addr, profile.KindKernel)
	}
	fn := c.b.Function(profile.Function{Name: f.FunctionName.String(), Mapping: m, Kind: profile.KindKernel})
	return c.b.Location(m, addr, profile.KindKernel, profile.Line{Function: fn})
}

// nativeFrame is an address in a binary, or in memory that belongs to none.
func (c *converter) nativeFrame(f *libpf.Frame) profile.LocationID {
	addr := uint64(f.AddressOrLineno)
	if !f.Mapping.Valid() {
		return c.b.Location(0, addr, profile.KindUnknown)
	}
	m := f.Mapping.Value()
	file := m.File.Value()
	kind := profile.KindNative
	where := c.files.path(file.FileID, file.FileName.String())
	if where == process.VdsoPathName {
		where, kind = vdsoName, profile.KindVDSO
	} else {
		c.files.sampled(file.FileID, c.pid)
	}
	key := mappingKey{path: where, buildID: strings.ToLower(file.GnuBuildID), bias: uint64(m.Start) - m.FileOffset}
	id := c.b.Location(c.mapping(key, uint64(m.Start), uint64(m.End)), addr, kind)
	if c.statements != nil || c.branches != nil {
		c.native[id] = nativeCode{where, addr}
	}
	return id
}

// mapping interns a piece of a binary; how far all pieces reach is known at the
// end.
func (c *converter) mapping(k mappingKey, start, limit uint64) profile.MappingID {
	m := c.mappings[k]
	if m == nil {
		m = &mapping{start: start, limit: limit}
		m.id = c.b.Mapping(profile.Mapping{Path: k.path, BuildID: k.buildID, Offset: k.bias}) // made right by profile
		c.mappings[k] = m
	}
	m.start, m.limit = min(m.start, start), max(m.limit, limit)
	return m.id
}

// profile closes the profile.
func (c *converter) profile(meta profile.Meta) *profile.Profile {
	c.addGoroutines()
	for k, m := range c.mappings {
		c.b.Complete(m.id, profile.Mapping{Path: k.path, BuildID: k.buildID, Start: m.start, Limit: m.limit, Offset: m.start - k.bias})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	meta.ValueType, meta.PeriodType = cpu, cpu
	if c.rate.changed.IsZero() { // else samples have weights of their own
		meta.Period = int64(periodOf(c.rate.first))
	}
	if c.tasks.lost > 0 {
		c.warn(fmt.Sprintf("the kernel lost %d process events: some processes may be missing", c.tasks.lost))
	}
	if text := c.cutText(); text != "" {
		c.warn(text)
	}
	if text := c.off.partly(); text != "" {
		c.warn(text)
	}
	meta.Warnings = c.warnings
	c.off.into(c.b)
	return c.b.Build(meta)
}
