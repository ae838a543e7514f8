package batch

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/view"
)

// Bounds on what one profile may hold. What is beyond them is cut, and told of.
const (
	MaxDepth  = 1024 // frames of a stack, inlined ones included
	maxName   = 4096 // bytes of a function's name, a file's or a binary's
	maxLabel  = 256  // bytes of a label's value
	maxFuture = 10 * time.Minute
)

// Labels of OpenTelemetry's resources that become ours.
const (
	labelService = "service.name"
	labelVersion = "service.version"
	labelHost    = "host.name"
	labelName    = "container.name"
)

// Options say what a profile does not.
type Options struct {
	ID string
	// Labels are for samples that have none of their own.
	Labels Labels
	// Now is the time of samples without one. What is later than Latest by more than a few
	// minutes is left out; zero is Now.
	Now, Latest time.Time
	// Period is the weight of an event in nanoseconds where the profile only counts.
	Period int64
	// Override has Labels go before what the samples say.
	Override bool
	// Spans are when it was recorded, where that is known.
	Spans []Span
}

// FromProfile makes a batch of a CPU profile. The error says what makes it unfit for
// that: it is no CPU time, or weighs less than nothing.
//
// Service. A sample whose sender names no service belongs to the one called like its
// process, so that a machine that is sampled as a whole falls into parts.
func FromProfile(p *profile.Profile, o Options) (*Batch, error) {
	scale, err := scaleOf(p, o)
	if err != nil {
		return nil, err
	}
	if o.Latest.IsZero() {
		o.Latest = o.Now
	}
	f := &from{
		p: p, o: o, out: &Batch{ID: o.ID, Spans: o.Spans, Mappings: make([]Mapping, p.NumMappings())}, scale: scale,
		functions: make([]uint32, p.NumFunctions()), locations: make([][]uint32, p.NumLocations()),
		stacks: make([]stack, p.NumStacks()), labels: make([]uint32, p.NumLabelSets()),
		nodes: map[Node]uint32{}, names: map[Labels]uint32{}, named: map[Location]uint32{}, rows: map[rowKey]int{}, left: map[string]bool{},
	}
	for i := range f.out.Mappings {
		m := p.Mapping(profile.MappingID(i))
		f.out.Mappings[i] = Mapping{Path: f.text(m.Path, maxName), BuildID: f.text(m.BuildID, maxLabel)}
	}
	for i := range p.Samples() {
		if err := f.sample(&p.Samples()[i]); err != nil {
			return nil, err
		}
	}
	f.warn()
	return f.out, nil
}

// nanoseconds are the units of time that profiles use.
var nanoseconds = map[string]int64{
	"nanoseconds": 1, "ns": 1, "microseconds": 1e3, "us": 1e3, "milliseconds": 1e6, "ms": 1e6, "seconds": 1e9, "s": 1e9,
}

// scaleOf is what turns the profile's values into nanoseconds; 0 when its counts do,
// by the period.
func scaleOf(p *profile.Profile, o Options) (scale int64, err error) {
	v := p.Meta.ValueType
	if !ofCPU(v) {
		return 0, fmt.Errorf("it is a profile of %s in %s; the store keeps CPU profiles", v.Type, v.Unit)
	}
	if s := nanoseconds[v.Unit]; s > 0 {
		return s, nil
	}
	if o.Period > 0 || nanoseconds[p.Meta.PeriodType.Unit] > 0 && p.Meta.Period > 0 {
		return 0, nil
	}
	return 0, fmt.Errorf("its samples are counted in %q, %w", v.Unit, ErrNoPeriod)
}

// ErrNoPeriod is in the error for a profile that only counts.
var ErrNoPeriod = errors.New("and it does not say how much time one of them is worth; give the sampling period")

// ofCPU says, as far as its name and unit tell, whether a value is of CPU time. That it
// is in nanoseconds does not: what threads waited for a mutex is, too. Nor does it help
// that the sender gives a rate, which Pyroscope's do with memory, too.
func ofCPU(v profile.ValueType) bool {
	if v.Unit == "bytes" || v.Type == "events" && nanoseconds[v.Unit] > 0 { // off_cpu of older OpenTelemetry profilers
		return false
	}
	for word := range strings.FieldsFuncSeq(v.Type, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch strings.ToLower(word) {
		case "alloc", "inuse", "heap", "space", "objects", "goroutine", "goroutines", "threadcreate",
			"contention", "contentions", "delay", "lock", "mutex", "block", "exception", "exceptions", "off", "offcpu":
			return false
		}
	}
	return true
}

type rowKey struct {
	minute, labels, stack uint32
	period                int64
}

type from struct {
	p         *profile.Profile
	o         Options
	out       *Batch
	scale     int64
	functions []uint32   // position + 1, by function
	locations [][]uint32 // positions, outermost first, by location
	stacks    []stack
	labels    []uint32 // position + 1, by label set
	nodes     map[Node]uint32
	names     map[Labels]uint32
	named     map[Location]uint32
	rows      map[rowKey]int

	shortened, deep int
	left            map[string]bool // labels that are not kept
}

var errNegative = errors.New("a sample weighs less than nothing: is it the difference of two profiles?")

func (f *from) sample(s *profile.Sample) error {
	count, value := s.Count, s.Value
	if count < 0 || value < 0 {
		return errNegative
	}
	if count == 0 && value == 0 {
		return nil
	}
	count = max(count, 1)
	if f.scale == 0 {
		period := f.o.Period
		if period == 0 {
			period = f.p.Meta.Period * nanoseconds[f.p.Meta.PeriodType.Unit]
		}
		value = count * period
	} else {
		if value > math.MaxInt64/f.scale {
			return errors.New("a sample weighs more than there are nanoseconds in 292 years")
		}
		value *= f.scale
	}
	minute, ahead := f.minute(s.Time)
	if ahead {
		f.out.Future += count
		return nil
	}
	st := f.stack(s.Stack)
	if st.cut {
		f.out.Cut += value
	}
	key := rowKey{minute: minute, labels: f.label(s.Labels), stack: st.number}
	// A weight that the count does not divide is two rows, so that none of it is lost.
	rest := value % count
	key.period = value / count
	if rest == 0 {
		f.add(key, count)
		return nil
	}
	f.add(key, count-1)
	key.period += rest
	f.add(key, 1)
	return nil
}

func (f *from) add(key rowKey, count int64) {
	for count > 0 {
		i, ok := f.rows[key]
		if !ok {
			i = len(f.out.Rows)
			f.rows[key] = i
			f.out.Rows = append(f.out.Rows, Row{Minute: key.minute, Labels: key.labels, Stack: key.stack, Period: key.period})
		}
		r := &f.out.Rows[i]
		room := math.MaxUint32 - int64(r.Count)
		n := min(count, room)
		r.Count += uint32(n)
		if count -= n; count > 0 {
			delete(f.rows, key) // it is full
		}
	}
}

// minute is that of a time in nanoseconds, and whether it is one that has not come. Samples of
// aggregated profiles have none. What is of the future is no sample of now: it may be of any time
// at which that clock was wrong, and would stand in what is looked at most.
func (f *from) minute(ns int64) (minute uint32, ahead bool) {
	at := time.Unix(0, ns)
	if ns == 0 || f.p.Meta.Elapsed {
		at = f.p.Meta.Start
		if at.IsZero() || at.Unix() <= 0 {
			at = f.o.Now
		}
		if f.p.Meta.Elapsed && ns > 0 {
			at = at.Add(time.Duration(min(ns, max(int64(f.p.Meta.Duration), 0))))
		}
	}
	return uint32(min(max(0, at.Unix())/60, math.MaxUint32)), at.After(f.o.Latest.Add(maxFuture))
}

func (f *from) label(id profile.LabelSetID) uint32 {
	if f.labels[id] > 0 {
		return f.labels[id] - 1
	}
	given := Labels{
		Service: view.LabelText(f.p, id, labelService), Version: view.LabelText(f.p, id, labelVersion),
		Host: view.LabelText(f.p, id, labelHost), Container: view.LabelText(f.p, id, profile.LabelContainer),
		Process: process(f.process(id)),
	}
	if name := view.LabelText(f.p, id, labelName); name != "" {
		given.Container = name
	}
	l := given
	for _, at := range [...]struct{ to, other *string }{
		{&l.Service, &f.o.Labels.Service}, {&l.Version, &f.o.Labels.Version}, {&l.Host, &f.o.Labels.Host},
		{&l.Container, &f.o.Labels.Container}, {&l.Process, &f.o.Labels.Process},
	} {
		if *at.other != "" && (f.o.Override || *at.to == "") {
			*at.to = *at.other
		}
		*at.to = f.text(*at.to, maxLabel)
	}
	if l.Service == "" {
		l.Service = l.Process
	}
	if l.Service == "" {
		l.Service = "unknown"
	}
	l.Tags = f.tags(id)
	n, ok := f.names[l]
	if !ok {
		n = uint32(len(f.out.Labels))
		f.names[l] = n
		f.out.Labels = append(f.out.Labels, l)
	}
	f.labels[id] = n + 1
	return n
}

// ofOurs are the labels that have a column of their own.
var ofOurs = map[string]bool{
	labelService: true, labelVersion: true, labelHost: true, labelName: true, profile.LabelContainer: true, profile.LabelProcess: true,
}

// notKept says of labels that they would tell nearly every sample from every other one, or
// that they are not for others to read: command lines have passwords in them.
func notKept(key string) bool {
	switch key {
	case profile.LabelTID, "bytes", "trace_id", "span_id", "trace id", "span id", "profile_id":
		return true
	}
	return strings.HasPrefix(key, "process.command") || strings.HasPrefix(key, "telemetry.")
}

// tags are the labels of a sample that have no column of their own, with those that the
// options give.
func (f *from) tags(id profile.LabelSetID) label.Set {
	all := f.p.Labels(id)
	if len(all) == 0 {
		return f.o.Labels.Tags
	}
	pairs := make([]label.Pair, 0, len(all))
	for _, l := range all {
		switch {
		case ofOurs[l.Key]:
		case notKept(l.Key), label.Reserved(label.Name(l.Key)):
			f.left[l.Key] = true
		default:
			pairs = append(pairs, label.Pair{Key: l.Key, Value: label.Text(&l)})
		}
	}
	var given []label.Pair
	for k, v := range f.o.Labels.Tags.All {
		given = append(given, label.Pair{Key: k, Value: v})
	}
	if f.o.Override {
		return label.Of(append(given, pairs...))
	}
	return label.Of(append(pairs, given...))
}

func (f *from) warn() {
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			f.out.Warnings = append(f.out.Warnings, one)
		case n > 1:
			f.out.Warnings = append(f.out.Warnings, fmt.Sprintf(many, n))
		}
	}
	say(f.shortened, "a name was longer than is kept and was shortened", "%d names were longer than is kept and were shortened")
	say(f.deep, fmt.Sprintf("a stack was deeper than %d frames; its outermost ones were left out", MaxDepth),
		"%d stacks were deeper than "+strconv.Itoa(MaxDepth)+" frames; their outermost ones were left out")
	if len(f.left) > 0 {
		f.out.Warnings = append(f.out.Warnings, "labels that are not kept: "+strings.Join(slices.Sorted(maps.Keys(f.left)), ", "))
	}
	if f.out.Future > 0 {
		f.out.Warnings = append(f.out.Warnings, fmt.Sprintf("%d samples are of more than %s after the server's time, and were dropped: set the clock of the machine that recorded them",
			f.out.Future, maxFuture))
	}
}
