package preload

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	model "whyhot/internal/profile"
)

// merged is what all the files of one recording give together.
type merged struct {
	builder *model.Builder
	// rebased remembers at which address a binary was first seen; later
	// processes' addresses are moved there, so that it is one mapping.
	rebased map[segmentKey]model.Mapping
	buildID func(path string) string
	period  int64 // nanoseconds
	// processes left samples, silent left an empty or cut file.
	processes, silent int
}

type segmentKey struct {
	path, buildID string
	offset, size  uint64
}

// mergeFiles reads every file in dir that a process left.
func mergeFiles(dir string, mainPID int) (*merged, error) {
	m := &merged{builder: model.NewBuilder(), rebased: map[segmentKey]model.Mapping{}, buildID: newBuildIDs().of}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("collecting the profiles: %w", err)
	}
	for _, entry := range entries {
		pid, ok := processOf(entry.Name(), mainPID)
		if !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("collecting the profiles: %w", err)
		}
		if len(data) == 0 {
			m.silent++
			continue
		}
		p, err := parse(data)
		switch {
		case errors.Is(err, errIncomplete):
			m.silent++
		case err != nil:
			return nil, fmt.Errorf("process %d: %w", pid, err)
		default:
			m.add(p, pid)
		}
	}
	return m, nil
}

// processOf reads the process ID out of a file's name.
func processOf(name string, mainPID int) (int, bool) {
	rest, ok := strings.CutPrefix(name, filePrefix)
	if !ok {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, ".")
	if rest == "" {
		return mainPID, true
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(rest, "_"))
	return pid, err == nil
}

func (m *merged) add(s *segment, pid int) {
	m.processes++
	m.period = s.period.Nanoseconds()
	labels := []model.Label{{Key: model.LabelPID, Num: int64(pid)}}
	if name := processName(s); name != "" {
		labels = append(labels, model.Label{Key: model.LabelProcess, Str: name})
	}
	set := m.builder.Labels(labels)
	mappings := map[*profile.Mapping]moved{}
	locations := map[uint64]model.LocationID{}
	for _, st := range s.stacks {
		ids := make([]model.LocationID, 0, len(st.addresses))
		for i, addr := range st.addresses {
			if i > 0 && addr > 0 {
				addr-- // from the return address into the call
			}
			id, ok := locations[addr]
			if !ok {
				id = m.location(addr, s.mapping(addr), mappings)
				locations[addr] = id
			}
			ids = append(ids, id)
		}
		m.builder.Sample(model.Sample{
			Stack: m.builder.Stack(ids), Labels: set, Count: st.count, Value: st.count * m.period,
		})
	}
}

// processName is the name of the file that is mapped lowest: the program.
func processName(s *segment) string {
	files := slices.DeleteFunc(slices.Clone(s.maps), func(m *profile.Mapping) bool {
		return !strings.HasPrefix(m.File, "/")
	})
	if len(files) == 0 {
		return ""
	}
	first := slices.MinFunc(files, func(a, b *profile.Mapping) int {
		if a.Start < b.Start {
			return -1
		}
		return 1
	})
	return filepath.Base(first.File)
}

// moved is where a process's mapping went.
type moved struct {
	id    model.MappingID
	kind  model.Kind
	shift uint64 // added to the process's addresses, modulo 2^64
}

func (m *merged) location(addr uint64, in *profile.Mapping, mappings map[*profile.Mapping]moved) model.LocationID {
	if in == nil {
		return m.builder.Location(0, addr, model.KindUnknown)
	}
	to, ok := mappings[in]
	if !ok {
		to = m.move(in)
		mappings[in] = to
	}
	return m.builder.Location(to.id, addr+to.shift, to.kind)
}

func (m *merged) move(from *profile.Mapping) moved {
	target := model.Mapping{Path: from.File, Start: from.Start, Limit: from.Limit, Offset: from.Offset}
	kind := model.KindNative
	switch {
	case strings.HasPrefix(from.File, "[vdso"):
		kind = model.KindVDSO
	case !strings.HasPrefix(from.File, "/"):
		return moved{m.builder.Mapping(target), model.KindJIT, 0}
	default:
		target.BuildID = m.buildID(from.File)
	}
	key := segmentKey{from.File, target.BuildID, from.Offset, from.Limit - from.Start}
	if first, ok := m.rebased[key]; ok {
		return moved{m.builder.Mapping(first), kind, first.Start - from.Start}
	}
	m.rebased[key] = target
	return moved{m.builder.Mapping(target), kind, 0}
}
