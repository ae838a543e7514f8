package feedback

import (
	"fmt"
	"io"
	"path/filepath"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

// isGo says whether a function is of Go. Profiles that Go's runtime writes name no kind;
// their functions have the line on which they begin, which the compiler needs.
func isGo(f *profile.Function) bool {
	return f.Kind == profile.KindGo || f.Kind != profile.KindKernel && f.StartLine > 0 && filepath.Ext(f.File) == ".go"
}

// writeGo writes pprof as the Go toolchain reads it: functions by their linker names with
// the line on which they begin, inlined calls as frames of their own, samples of CPU time.
// Addresses, labels and other binaries' frames are left out: the toolchain does not look
// at them, and the file is to be committed beside the source.
func writeGo(w io.Writer, p *profile.Profile, mappings map[profile.MappingID]bool, out *Summary) error {
	b := profile.NewBuilder()
	path := profile.Mapping{Path: filepath.Base(out.Binary)}
	m := b.Mapping(path)
	g := goWriter{p: p, b: b, m: m, functions: map[profile.FunctionID]profile.FunctionID{}, withStart: map[profile.FunctionID]bool{}}
	leaves := map[profile.FunctionID]bool{}
	noStart := int64(0)
	for _, s := range p.Samples() {
		var stack []profile.LocationID
		started := false
		for _, loc := range p.Stack(s.Stack) {
			if !mappings[p.Location(loc).Mapping] {
				continue
			}
			lines := g.lines(loc)
			if len(lines) == 0 {
				continue
			}
			if len(stack) == 0 {
				leaves[lines[0].Function] = true
				started = g.withStart[lines[0].Function]
			}
			stack = append(stack, b.Location(m, 0, profile.KindGo, lines...))
		}
		if len(stack) == 0 {
			continue
		}
		if !started {
			noStart += s.Count
		}
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: s.Count, Value: s.Value})
		out.Used += s.Count
	}
	if out.Used == 0 {
		return nil
	}
	if noStart == out.Used {
		return fmt.Errorf("%w: no function has the line on which it begins, which the Go toolchain needs: build without -ldflags=-w and with Go 1.21 or later, then record again", ErrNothing)
	}
	if noStart > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%.1f%% of its samples are in functions whose first line is not known; the toolchain passes over them", 100*float64(noStart)/float64(out.Used)))
	}
	out.Functions = len(leaves)
	meta := profile.Meta{ValueType: p.Meta.ValueType, PeriodType: p.Meta.PeriodType, Period: p.Meta.Period, Duration: p.Meta.Duration}
	if p.Meta.ValueType != cpuTime { // the toolchain looks for this name, or for samples/count
		meta.ValueType, meta.PeriodType, meta.Period = profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{}, 0
	}
	return pprof.Write(w, b.Build(meta))
}

var cpuTime = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}

// goWriter copies frames.
type goWriter struct {
	p         *profile.Profile
	b         *profile.Builder
	m         profile.MappingID
	functions map[profile.FunctionID]profile.FunctionID
	withStart map[profile.FunctionID]bool // by the new ID
}

func (g *goWriter) lines(loc profile.LocationID) []profile.Line {
	var out []profile.Line
	for _, l := range g.p.Lines(loc) {
		f := *g.p.Function(l.Function)
		if f.Name == "" {
			continue
		}
		id, ok := g.functions[l.Function]
		if !ok {
			f.Mapping, f.Kind = g.m, profile.KindGo
			if f.SystemName != "" { // the toolchain knows functions by the linker's names
				f.Name, f.SystemName = f.SystemName, ""
			}
			id = g.b.Function(f)
			g.functions[l.Function], g.withStart[id] = id, f.StartLine > 0
		}
		out = append(out, profile.Line{Function: id, Line: l.Line})
	}
	return out
}
