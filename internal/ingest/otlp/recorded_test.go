package otlp

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// ebpf-profiler.pb is a request of the OpenTelemetry eBPF profiler v0.0.202633 as it
// is, less the machine's other processes: C++ without frame pointers, Python, Node
// and Java on Debian 12. What it holds was written down from the protocol's own
// generated types, by `bench/collect/compat/check -rows`.
func TestRecordedRequest(t *testing.T) {
	data, err := os.ReadFile("testdata/ebpf-profiler.pb")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/ebpf-profiler.txt")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Unmarshal(t.Context(), data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := written(p); got != string(want) {
		t.Errorf("got\n%s", got)
	}
	kinds := map[profile.Kind]bool{}
	for i := range p.NumFunctions() {
		kinds[p.Function(profile.FunctionID(i)).Kind] = true
	}
	for _, k := range []profile.Kind{profile.KindPython, profile.KindJS, profile.KindJava, profile.KindKernel, profile.KindNative} {
		if !kinds[k] {
			t.Errorf("no frames of %s", k)
		}
	}
	programs := map[string]bool{}
	for i := range p.NumMappings() {
		programs[p.Mapping(profile.MappingID(i)).Path] = true
	}
	if !programs["/srv/load/burn"] || !programs["/usr/bin/python3.11"] || !programs["libc.so.6"] {
		t.Errorf("binaries %v", programs)
	}
	again, err := Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = Unmarshal(t.Context(), again, Options{}); err != nil || written(p) != string(want) {
		t.Errorf("written and read again (%v):\n%s", err, written(p))
	}
}

// written is a profile in the form of check -rows.
func written(p *profile.Profile) string {
	rows := map[string]int64{}
	for _, s := range p.Samples() {
		rows[writtenSample(p, &s)] += s.Count
	}
	out := fmt.Sprintf("%d samples, weight %d, [%s/%s %d]\n", p.Count(), p.Total(), p.Meta.PeriodType.Type, p.Meta.PeriodType.Unit, p.Meta.Period)
	keys := make([]string, 0, len(rows))
	for row := range rows {
		keys = append(keys, row)
	}
	slices.Sort(keys)
	for _, row := range keys {
		out += fmt.Sprintf("%d × %s\n", rows[row], row)
	}
	return out
}

func writtenSample(p *profile.Profile, s *profile.Sample) string {
	var labels []string
	for _, l := range p.Labels(s.Labels) {
		text := l.Str
		if text == "" {
			text = strconv.FormatInt(l.Num, 10)
		}
		labels = append(labels, l.Key+"="+text+" ")
	}
	slices.Sort(labels)
	var b strings.Builder
	b.WriteString(strings.Join(labels, ""))
	for _, id := range p.Stack(s.Stack) {
		l := p.Location(id)
		m := p.Mapping(l.Mapping)
		binary := m.Path
		if binary != "" {
			binary = path.Base(binary)
		}
		for _, line := range p.Lines(id) {
			f := p.Function(line.Function)
			fmt.Fprintf(&b, "\n    %s|%s|%s:%d|%s|%s|%#x", f.Name, f.SystemName, f.File, line.Line, binary, m.BuildID, l.Address-m.Start+m.Offset)
		}
	}
	return b.String()
}
