package perfscript

import (
	"fmt"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// build makes the profile from what was collected.
func (s *reader) build() (*profile.Profile, error) {
	event, warnings := s.choose()
	b := profile.NewBuilder()
	stacks := make(map[int]profile.StackID, len(s.stacks))
	meta := profile.Meta{Source: "perf script", Lost: s.lost, ValueType: valueType(event, s.samples)}
	counted := meta.ValueType == events
	kept := 0
	for i := range s.samples {
		row := &s.samples[i]
		if row.event != event {
			continue
		}
		kept++
		id, ok := stacks[row.stack]
		if !ok {
			id = s.buildStack(b, s.stacks[row.stack])
			stacks[row.stack] = id
		}
		value := row.period
		if counted {
			value = 1
		}
		b.Sample(profile.Sample{Stack: id, Labels: b.Labels(s.labels(&row.header)), Count: 1, Value: value})
	}
	if kept == 0 {
		return nil, ErrEmpty
	}
	if s.idle > 0 {
		warnings = append(warnings, fmt.Sprintf("%d samples of the idle task (pid 0) are skipped", s.idle))
	}
	if s.bad > 0 {
		warnings = append(warnings, fmt.Sprintf("%d lines were neither samples nor frames, the first is line %d", s.bad, s.badLine))
	}
	meta.Warnings = warnings
	return b.Build(meta), nil
}

// choose takes the first event that counts CPU time or cycles, else the first.
func (s *reader) choose() (event string, warnings []string) {
	if len(s.events) == 0 {
		return "", nil
	}
	event = s.events[0]
	for _, e := range s.events {
		if isClock(e) || isCycles(e) {
			event = e
			break
		}
	}
	if len(s.events) > 1 {
		warnings = append(warnings, fmt.Sprintf("the text has the events %s: %s is read", strings.Join(s.events, ", "), event))
	}
	return event, warnings
}

func isClock(event string) bool {
	return strings.HasPrefix(event, "cpu-clock") || strings.HasPrefix(event, "task-clock")
}

func isCycles(event string) bool { return strings.Contains(event, "cycles") }

// events is the unit where every sample counts one.
var events = profile.ValueType{Type: "samples", Unit: "count"}

// valueType is what the periods count; without periods, or with a sample that
// has none, every sample counts one.
func valueType(event string, samples []sample) profile.ValueType {
	for i := range samples {
		if samples[i].event == event && samples[i].period <= 0 {
			return events
		}
	}
	name, _, _ := strings.Cut(event, ":")
	switch {
	case isClock(event):
		return profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	case name == "":
		return events
	}
	return profile.ValueType{Type: name, Unit: events.Unit}
}

func (s *reader) labels(h *header) []profile.Label {
	labels := []profile.Label{{Key: profile.LabelThread, Str: h.comm}}
	if h.bare {
		return labels
	}
	if !h.hasPID {
		return append(labels, profile.Label{Key: profile.LabelTID, Num: int64(h.tid)})
	}
	process := s.comm[h.pid]
	if process == "" {
		process = h.comm
	}
	return append(labels,
		profile.Label{Key: profile.LabelPID, Num: int64(h.pid)},
		profile.Label{Key: profile.LabelProcess, Str: process})
}

func (s *reader) buildStack(b *profile.Builder, locations []location) profile.StackID {
	ids := make([]profile.LocationID, len(locations))
	for i := range locations {
		ids[i] = buildLocation(b, &locations[i])
	}
	return b.Stack(ids)
}

func buildLocation(b *profile.Builder, l *location) profile.LocationID {
	var mapping profile.MappingID
	path, kind := "", profile.KindUnknown
	if l.binary != nil {
		path, kind = l.binary.path, l.binary.kind
		mapping = b.Mapping(profile.Mapping{Path: path, BuildID: l.binary.buildID, Limit: l.binary.limit})
	}
	lines := make([]profile.Line, 0, len(l.names))
	for _, n := range l.names {
		f := profile.Function{Name: codename.Display(n.symbol), File: n.file, Mapping: mapping, Kind: codename.Of(n.symbol, n.file, path)}
		if f.Name != n.symbol {
			f.SystemName = n.symbol
		}
		lines = append(lines, profile.Line{Function: b.Function(f), Line: n.line})
	}
	return b.Location(mapping, l.addr, kind, lines...)
}
