package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	google "github.com/google/pprof/profile"

	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

// shape says how much is generated.
type shape struct{ services, containers, minutes, stacks, samples int }

// period is what a sample is worth: 19 samples a second.
const period = int64(time.Second) / 19

// file is one generated profile: DIR/SERVICE/CONTAINER/UNIX_MILLISECONDS.pb.gz.
type file struct {
	path, service, container string
	at                       time.Time
}

const extension = ".pb.gz"

// sumFile, beside the services, holds the sum of all values, in nanoseconds: what an
// answer about everything has to add up to.
const sumFile = "sum"

// generate writes a profile of each container for each of the minutes before now.
func generate(ctx context.Context, out string, recordings []string, o shape) error {
	if out == "" || len(recordings) == 0 {
		return errors.New("give -out and recordings")
	}
	begin := time.Now().Truncate(time.Minute).Add(-time.Duration(o.minutes) * time.Minute)
	var profiles, rows, samples, size int64
	for i := range o.services {
		path := recordings[i%len(recordings)]
		p, err := ingest.Open(ctx, path, ingest.Options{})
		if err != nil {
			return err
		}
		base, _, _ := strings.Cut(filepath.Base(path), ".")
		name := fmt.Sprintf("%s-%d", base, i)
		random := rand.New(rand.NewPCG(1, uint64(i))) //nolint:gosec // the same data each time
		s := serviceOf(p, o.stacks, random)
		zipf := rand.NewZipf(random, 1.1, 20, uint64(len(s.stacks)-1))
		for c := range o.containers {
			dir := filepath.Join(out, name, fmt.Sprintf("c-%02d", c))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for minute := range o.minutes {
				// In the middle of a minute, by which it does not matter whether a server
				// takes the ends of a range in or not.
				at := begin.Add(time.Duration(minute)*time.Minute + time.Duration(15+random.IntN(30))*time.Second)
				made := s.draw(zipf, o.samples/2+random.IntN(o.samples+1), at)
				var data bytes.Buffer
				if err := made.Write(&data); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, strconv.FormatInt(at.UnixMilli(), 10)+extension), data.Bytes(), 0o600); err != nil {
					return err
				}
				profiles++
				rows += int64(len(made.Sample))
				size += int64(data.Len())
				for _, row := range made.Sample {
					samples += row.Value[0] / period
				}
			}
		}
	}
	if err := os.WriteFile(filepath.Join(out, sumFile), []byte(strconv.FormatInt(samples*period, 10)), 0o600); err != nil {
		return err
	}
	fmt.Printf("%d profiles, %d bytes, %d rows, %d samples, %d services × %d containers, %d minutes\n", profiles, size, rows, samples, o.services, o.containers, o.minutes)
	return nil
}

// service is what one service runs. Its tables are shared by all its profiles until a
// profile is written, which takes those that its samples need.
type service struct{ stacks [][]*google.Location }

// serviceOf takes stacks of a recording. Near the leaf, samples fall on several lines of
// a function, by which there are more of them than were recorded.
func serviceOf(p *profile.Profile, most int, random *rand.Rand) *service {
	mappings := map[string]*google.Mapping{}
	mapping := func(path string) *google.Mapping {
		if path == "" {
			path = "[unknown]"
		}
		m := mappings[path]
		if m == nil {
			h := fnv.New64a()
			_, _ = h.Write([]byte(path)) // it never fails
			start := uint64(len(mappings)+1) << 32
			m = &google.Mapping{Start: start, Limit: start + 1<<28, File: path, BuildID: fmt.Sprintf("%016x%024x", h.Sum64(), 1), HasFunctions: true, HasLineNumbers: true}
			mappings[path] = m
		}
		return m
	}
	type at struct {
		mapping, function string
		line              int64
	}
	functions, locations, used := map[at]*google.Function{}, map[at]*google.Location{}, map[*google.Mapping]uint64{}
	location := func(a at) *google.Location {
		l := locations[a]
		if l == nil {
			m := mapping(a.mapping)
			of := at{a.mapping, a.function, 0}
			f := functions[of]
			if f == nil {
				f = &google.Function{Name: a.function, SystemName: a.function, Filename: a.mapping + ".c"}
				functions[of] = f
			}
			used[m]++
			l = &google.Location{Mapping: m, Address: m.Start + 16*used[m], Line: []google.Line{{Function: f, Line: a.line}}}
			locations[a] = l
		}
		return l
	}
	s := &service{}
	seen := map[string]bool{}
	for tries := 0; len(s.stacks) < most && tries < 20*most; tries++ {
		recorded := p.Stack(p.Samples()[random.IntN(len(p.Samples()))].Stack)
		var stack []*google.Location // leaf first, in both
		key := ""
		for i, id := range recorded {
			for _, line := range p.Lines(id) {
				n := int64(1)
				if i < 3 {
					n += int64(random.IntN(1 << (6 - 2*i)))
				}
				name := p.Function(line.Function).Name
				if name == "" {
					name = "[unknown]"
				}
				a := at{p.Mapping(p.Location(id).Mapping).Path, name, n}
				stack = append(stack, location(a))
				key += fmt.Sprintln(a)
			}
		}
		if len(stack) > 0 && !seen[key] {
			seen[key] = true
			s.stacks = append(s.stacks, stack)
		}
	}
	return s
}

// draw makes a profile of n samples.
func (s *service) draw(zipf *rand.Zipf, n int, at time.Time) *google.Profile {
	counts := make([]int64, len(s.stacks))
	for range n {
		counts[zipf.Uint64()]++
	}
	cpu := &google.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p := &google.Profile{
		SampleType: []*google.ValueType{cpu}, PeriodType: cpu, Period: period,
		TimeNanos: at.UnixNano(), DurationNanos: int64(time.Minute),
	}
	locations, functions, mappings := map[*google.Location]bool{}, map[*google.Function]bool{}, map[*google.Mapping]bool{}
	for i, count := range counts {
		if count == 0 {
			continue
		}
		p.Sample = append(p.Sample, &google.Sample{Location: s.stacks[i], Value: []int64{count * period}})
		for _, l := range s.stacks[i] {
			if locations[l] {
				continue
			}
			locations[l] = true
			l.ID = uint64(len(locations))
			p.Location = append(p.Location, l)
			if f := l.Line[0].Function; !functions[f] {
				functions[f] = true
				f.ID = uint64(len(functions))
				p.Function = append(p.Function, f)
			}
			if m := l.Mapping; !mappings[m] {
				mappings[m] = true
				m.ID = uint64(len(mappings))
				p.Mapping = append(p.Mapping, m)
			}
		}
	}
	return p
}

// sumOf reads what all profiles add up to.
func sumOf(dir string) (int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumFile))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(data), 10, 64)
}

// filesOf lists what was generated, by time.
func filesOf(dir string) ([]file, error) {
	var all []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, extension) {
			return err
		}
		ms, err := strconv.ParseInt(strings.TrimSuffix(d.Name(), extension), 10, 64)
		if err != nil {
			return fmt.Errorf("%s: its name is no time: %w", path, err)
		}
		container := filepath.Dir(path)
		all = append(all, file{path, filepath.Base(filepath.Dir(container)), filepath.Base(container), time.UnixMilli(ms)})
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s holds no generated profiles", dir)
	}
	slices.SortStableFunc(all, func(a, b file) int { return a.at.Compare(b.at) })
	return all, err
}
