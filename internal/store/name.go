package store

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/store/columns"
	"whyhot/internal/store/dict"
	"whyhot/internal/symbol"
)

// maxNamed is how many addresses are looked up and written down at a time.
const maxNamed = 20_000

// DebugInfoArrived has the addresses of a binary looked up again that have no name, or
// no line.
func (s *Store) DebugInfoArrived(buildID string) {
	s.mu.Lock()
	s.arrived[buildID] = true
	s.mu.Unlock()
	select {
	case s.renamed <- struct{}{}:
	default:
	}
}

// DebugInfoFrom has the debug information of a binary be brought to where Symbols looks before
// addresses of it are looked up. bring says whether it is there then.
func (s *Store) DebugInfoFrom(bring func(ctx context.Context, buildID string) bool) {
	s.bring.Store(&bring)
}

// HasBinary says whether a sample is kept of the binary of a build ID.
// While the engine is away nobody knows.
func (s *Store) HasBinary(buildID string) bool { return s.isAway() || s.dict.HasBinary(buildID) }

// name looks up addresses until ctx ends. The pause is long against what it takes, so
// that of what arrives all the time much is looked up at once.
func (s *Store) name(ctx context.Context) {
	again := time.NewTicker(s.opts.Names.Again)
	defer again.Stop()
	known := map[string]debugFile{}
	for {
		select {
		case <-s.renamed:
		case <-again.C:
			s.filesCame(known)
			continue
		case <-ctx.Done():
			return
		}
		began := time.Now()
		if err := s.nameOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("looking up names", "error", err)
		}
		pause := min(max(s.opts.Names.Interval, 10*time.Since(began)), time.Minute)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// debugFile is a file of debug information as it was when its binary was looked up.
type debugFile struct {
	size    int64
	changed time.Time
}

// growing is how long after its last change a file may still be being written: the clock of
// a file system is coarse, and a change that it does not show would never be seen.
const growing = 2 * time.Second

// filesCame has a binary looked up again that has hardly a name, where there is a file now
// that a person or another program put into a directory of debug information. What the file
// was like comes into known then: one that is still being copied is looked at again when
// there is more of it. (Binaries with names and without lines are left: agents send
// symbols only, and all there is would be looked up again after each start.)
func (s *Store) filesCame(known map[string]debugFile) {
	for id := range s.HardlyNamed() { // senders name others
		if _, err := hex.DecodeString(id); err != nil || len(id) < 4 {
			continue
		}
		for _, dir := range s.opts.Names.Symbols.DebugDirs {
			info, err := os.Stat(filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug"))
			if err != nil {
				continue
			}
			file := debugFile{info.Size(), info.ModTime()}
			if file != known[id] {
				s.DebugInfoArrived(id)
			}
			if time.Since(file.changed).Abs() > growing {
				known[id] = file
			}
			break
		}
	}
}

// HardlyNamed are the build IDs of binaries of whose addresses less than half have a name.
func (s *Store) HardlyNamed() map[string]bool {
	t := s.dict.Snapshot()
	all, bare := make([]int, len(t.Mappings)), make([]int, len(t.Mappings))
	for i := range t.Locations {
		l := &t.Locations[i]
		if l.Named {
			continue
		}
		all[l.Mapping]++
		if t.Functions[t.Lines(uint32(i))[0].Function].Name == "" {
			bare[l.Mapping]++
		}
	}
	out := map[string]bool{}
	for i, m := range t.Mappings {
		if m.BuildID != "" && 2*bare[i] > all[i] {
			out[m.BuildID] = true
		}
	}
	return out
}

// nameOnce looks up what waits, and waits until it is known.
func (s *Store) nameOnce(ctx context.Context) error {
	s.mu.Lock()
	arrived := s.arrived
	s.arrived = map[string]bool{}
	s.mu.Unlock()
	wanted := s.dict.Waiting()
	var again map[dict.Mapping][]dict.Address
	if len(arrived) > 0 {
		again = s.dict.Nameless(func(m dict.Mapping) bool { return arrived[m.BuildID] })
	}
	all := maps.Clone(wanted)
	maps.Copy(all, again)
	if len(all) == 0 {
		return nil
	}
	for m := range all {
		if m.BuildID == "" {
			continue
		}
		if bring := s.bring.Load(); bring != nil && (*bring)(ctx, m.BuildID) {
			continue
		}
		if s.opts.Names.Fetch != nil && !arrived[m.BuildID] {
			s.opts.Names.Fetch(ctx, m.BuildID)
		}
	}
	symbols := symbol.New(s.opts.Names.Symbols)
	for _, m := range slices.SortedFunc(maps.Keys(all), compareMappings) {
		for part := range slices.Chunk(wanted[m], maxNamed) {
			if err := s.named(ctx, lookUp(ctx, symbols, m, part)); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(again[m], maxNamed) {
			// These were looked up before and may have a name without a line: nothing, as of a file
			// that could not be fetched, does not replace it.
			found := slices.DeleteFunc(lookUp(ctx, symbols, m, part), func(r dict.Resolution) bool { return len(r.Frames) == 0 })
			if err := s.named(ctx, found); err != nil {
				return err
			}
		}
	}
	return s.Flush(ctx)
}

// named writes what was found into the journal.
func (s *Store) named(ctx context.Context, found []dict.Resolution) error {
	if len(found) > 0 {
		if err := s.append(ctx, recordNamesOf, appendNames(found)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func compareMappings(a, b dict.Mapping) int {
	return slices.Compare([]string{a.Path, a.BuildID}, []string{b.Path, b.BuildID})
}

// lookUp names addresses of one binary, as those of a profile.
func lookUp(ctx context.Context, symbols *symbol.Symbolizer, m dict.Mapping, addresses []dict.Address) []dict.Resolution {
	b := profile.NewBuilder()
	var limit uint64
	for _, a := range addresses {
		limit = max(limit, a.Address+1)
	}
	mapping := b.Mapping(profile.Mapping{Path: m.Path, BuildID: m.BuildID, Limit: limit})
	locations := make([]profile.LocationID, len(addresses))
	for i, a := range addresses {
		locations[i] = b.Location(mapping, a.Address, a.Kind)
		b.Sample(profile.Sample{Stack: b.Stack(locations[i : i+1]), Count: 1, Value: 1})
	}
	p, _ := symbols.Symbolize(ctx, b.Build(profile.Meta{}))
	found := make([]dict.Resolution, len(addresses))
	for i, a := range addresses {
		found[i].Mapping, found[i].Address, found[i].Kind = m, a.Address, uint8(a.Kind)
		for _, l := range p.Lines(locations[i]) {
			f := p.Function(l.Function)
			if f.Name == "" {
				continue
			}
			found[i].Frames = append(found[i].Frames, dict.Frame{
				Function: dict.Function{Name: f.Name, System: f.SystemName, File: f.File, StartLine: uint32(max(0, f.StartLine)), Kind: uint8(f.Kind)},
				Line:     uint32(max(0, l.Line)),
			})
		}
	}
	return found
}

// appendNames are the bytes of resolutions in the journal. Addresses are in them as they
// are: numbers may mean something else when their turn comes.
func appendNames(found []dict.Resolution) []byte {
	var paths, builds []string
	var kindsOf []uint8
	addresses, counts := make([]uint64, 0, len(found)), make([]uint32, 0, len(found))
	for _, r := range found {
		paths, builds, kindsOf = append(paths, r.Mapping.Path), append(builds, r.Mapping.BuildID), append(kindsOf, r.Kind)
		addresses, counts = append(addresses, r.Address), append(counts, uint32(len(r.Frames)))
	}
	data := columns.Append(nil, paths, builds, addresses, kindsOf, counts)
	return appendFrames(data, found)
}

func appendFrames(data []byte, found []dict.Resolution) []byte {
	var starts, lines []uint32
	var names, systems, files []string
	var kinds []uint8
	for _, r := range found {
		for _, f := range r.Frames {
			names, systems, files = append(names, f.Function.Name), append(systems, f.Function.System), append(files, f.Function.File)
			starts, lines, kinds = append(starts, f.Function.StartLine), append(lines, f.Line), append(kinds, f.Function.Kind)
		}
	}
	return columns.Append(data, names, systems, files, starts, lines, kinds)
}

var errNames = errors.New("names: their columns are not of one length")

func readNames(data []byte) ([]dict.Resolution, error) {
	var paths, builds []string
	var kinds []uint8
	var addresses []uint64
	var counts []uint32
	rest, err := columns.Read(data, &paths, &builds, &addresses, &kinds, &counts)
	if err != nil {
		return nil, err
	}
	for _, n := range []int{len(builds), len(addresses), len(kinds), len(counts)} {
		if n != len(paths) {
			return nil, errNames
		}
	}
	out := make([]dict.Resolution, len(paths))
	for i := range out {
		out[i] = dict.Resolution{Mapping: dict.Mapping{Path: paths[i], BuildID: builds[i]}, Address: addresses[i], Kind: kinds[i]}
	}
	return out, readFrames(rest, counts, out)
}

func readFrames(data []byte, counts []uint32, out []dict.Resolution) error {
	var starts, lines []uint32
	var names, systems, files []string
	var kinds []uint8
	if _, err := columns.Read(data, &names, &systems, &files, &starts, &lines, &kinds); err != nil {
		return err
	}
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	for _, n := range []int{len(systems), len(files), len(starts), len(lines), len(kinds), total} {
		if n != len(names) {
			return errNames
		}
	}
	at := 0
	for i := range out {
		for range counts[i] {
			out[i].Frames = append(out[i].Frames, dict.Frame{
				Function: dict.Function{Name: names[at], System: systems[at], File: files[at], StartLine: starts[at], Kind: kinds[at]}, Line: lines[at],
			})
			at++
		}
	}
	return nil
}

// readNumbered reads what versions before 2 wrote: locations by number.
func (s *Store) readNumbered(data []byte) ([]dict.Resolution, error) {
	var locations, counts, starts, lines []uint32
	var names, systems, files []string
	var kinds []uint8
	if _, err := columns.Read(data, &locations, &counts, &names, &systems, &files, &starts, &lines, &kinds); err != nil {
		return nil, err
	}
	if len(locations) != len(counts) {
		return nil, errNames
	}
	all := make([]dict.Resolution, len(locations))
	if err := readFrames(columns.Append(nil, names, systems, files, starts, lines, kinds), counts, all); err != nil {
		return nil, err
	}
	out := all[:0]
	for i, r := range all {
		if at, ok := s.dict.At(locations[i]); ok {
			at.Frames = r.Frames
			out = append(out, at)
		}
	}
	return out, nil
}
