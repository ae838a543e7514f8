package ebpf

import (
	"slices"
	"strings"

	"whyhot/internal/collect/goroutine"
	"whyhot/internal/profile"
)

// watchGoroutines begins to see where goroutines wait, where waits are asked for.
func (rec *recording) watchGoroutines(pids []int) {
	if !rec.seesWaits() {
		return
	}
	maps, err := mapsOf(rec.profiler.tracer)
	if err == nil {
		rec.convert.goroutines, err = goroutine.Start(maps[knownMap])
	}
	if err != nil {
		rec.profiler.notes = append(rec.profiler.notes, "where goroutines wait is not recorded: "+err.Error())
		return
	}
	told := rec.tasks.mapped
	rec.tasks.mapped = func(pid uint32, path string) {
		if told != nil {
			told(pid, path)
		}
		rec.convert.goroutines.Mapped(pid, path)
	}
	for _, pid := range rec.tasks.running() {
		if rec.proc == nil || !slices.Contains(pids, int(pid)) { // else it is a shell yet
			rec.convert.goroutines.Process(pid)
		}
	}
}

// seesWaits says whether waits are recorded.
func (rec *recording) seesWaits() bool {
	return rec.request.Settings.OffCPU && !rec.request.Target.System && rec.request.Settings.Batch == 0
}

// addGoroutines gives the profile where goroutines have waited.
func (c *converter) addGoroutines() {
	all, notes := c.goroutines.Waits()
	for _, n := range notes {
		c.warn(n)
	}
	for _, w := range all {
		stack := make([]profile.LocationID, len(w.Addresses))
		mapping := c.mappingOf(w.Program)
		for i, address := range w.Addresses {
			stack[i] = c.b.Location(mapping, address, profile.KindNative)
		}
		labels := []profile.Label{{Key: profile.LabelPID, Num: int64(w.Process)}, {Key: profile.LabelGoroutines, Num: int64(w.Goroutines)}}
		if name := c.tasks.name(w.Process); name != "" {
			labels = append(labels, profile.Label{Key: profile.LabelProcess, Str: name})
		}
		c.b.Wait(profile.Sample{Stack: c.b.Stack(stack), Labels: c.b.Labels(labels), Count: w.Times, Value: w.Nanoseconds})
	}
}

// mappingOf is the mapping of a program of Go, by which its samples have it, too.
func (c *converter) mappingOf(p *goroutine.Program) profile.MappingID {
	key := mappingKey{path: p.Path, buildID: strings.ToLower(p.BuildID), bias: p.Start - p.Offset}
	for k, m := range c.mappings {
		if k.path == key.path && m.start <= p.End && p.Start <= m.limit {
			key = k
		}
	}
	return c.mapping(key, p.Start, p.End)
}
