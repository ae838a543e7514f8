package pprof

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// Write writes p as a gzip-compressed pprof protocol buffer. Addresses,
// mappings, build IDs, inlined frames and labels are kept; the command line,
// lost events, warnings and the kinds of functions that their names do not tell
// go into comments, from which Read takes them back.
//
// The sample types are "samples" in counts and the profile's own, which is also
// the default; they are one where the profile only has counts. Where it has waits, two more
// stand behind them, "waits" in counts and "off_cpu" in nanoseconds, in rows of their own.
func Write(out io.Writer, p *profile.Profile) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("pprof: %w", err)
	}
	if err := WriteUncompressed(z, p); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("pprof: write: %w", err)
	}
	return nil
}

// WriteUncompressed is Write without the compression.
func WriteUncompressed(out io.Writer, p *profile.Profile) error {
	w := &writer{p: p, out: bufio.NewWriterSize(out, 1<<18), strings: newStringTable()}
	w.survey()
	w.all()
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("pprof: write: %w", err)
	}
	return nil
}

const unitCount = "count"

var (
	samplesCount = profile.ValueType{Type: "samples", Unit: unitCount}
	waitsCount   = profile.ValueType{Type: "waits", Unit: unitCount}
	offCPU       = profile.ValueType{Type: "off_cpu", Unit: "nanoseconds"}
)

type writer struct {
	p         *profile.Profile
	out       *bufio.Writer // keeps its first error until Flush
	strings   *stringTable
	inner     message
	has       []has          // by mapping
	kinds     []profile.Kind // by mapping
	functions []bool
	locations []bool
	mappings  []bool
	twoValues bool
	head      []byte
}

// has says what a mapping's locations know, so that other tools need not try to
// symbolise them again.
type has struct{ functions, files, lines, inlined bool }

// survey marks what the samples reach; a filtered profile shares tables with
// the whole one and must not carry them along.
func (w *writer) survey() {
	p := w.p
	w.has = make([]has, p.NumMappings())
	w.mappings = make([]bool, p.NumMappings())
	w.kinds = make([]profile.Kind, p.NumMappings())
	for i := range w.kinds {
		w.kinds[i] = codename.OfMapping(p.Mapping(profile.MappingID(i)).Path)
	}
	w.functions = make([]bool, p.NumFunctions())
	w.locations = make([]bool, p.NumLocations())
	stacks := make([]bool, p.NumStacks())
	samples := p.Samples()
	w.twoValues = p.Meta.ValueType != samplesCount
	for i := range samples {
		w.twoValues = w.twoValues || samples[i].Count != samples[i].Value
		stacks[samples[i].Stack] = true
	}
	for _, s := range p.Waits() {
		stacks[s.Stack] = true
	}
	for i, used := range stacks {
		if used {
			for _, l := range p.Stack(profile.StackID(i)) {
				w.locations[l] = true
			}
		}
	}
	for i, used := range w.locations {
		if used {
			w.surveyLocation(profile.LocationID(i))
		}
	}
}

func (w *writer) surveyLocation(id profile.LocationID) {
	m := w.p.Location(id).Mapping
	w.mappings[m] = true
	if !w.named(id) {
		return
	}
	lines := w.p.Lines(id)
	h := &w.has[m]
	h.inlined = h.inlined || len(lines) > 1
	for _, l := range lines {
		w.functions[l.Function] = true
		f := w.p.Function(l.Function)
		h.functions = true
		h.files = h.files || f.File != ""
		h.lines = h.lines || l.Line != 0
	}
}

// named tells whether a location has something to say beyond its mapping. The
// one line that stands for unsymbolised code is not written: pprof has no line
// there.
func (w *writer) named(id profile.LocationID) bool {
	lines := w.p.Lines(id)
	if len(lines) != 1 {
		return true
	}
	m := w.p.Location(id).Mapping
	f := w.p.Function(lines[0].Function)
	unnamed := profile.Function{Mapping: m, Kind: w.kinds[m]}
	return *f != unnamed || lines[0].Line != 0
}

// put writes one top-level message.
func (w *writer) put(field int, b []byte) {
	w.head = binary.AppendUvarint(w.head[:0], uint64(field)<<3|wireBytes)
	w.head = binary.AppendUvarint(w.head, uint64(len(b)))
	_, _ = w.out.Write(w.head)
	_, _ = w.out.Write(b)
}

func (w *writer) all() {
	var m message
	for _, t := range w.types() {
		w.valueType(&m, t)
		w.put(fieldSampleType, m.b)
	}
	samples, waits := w.p.Samples(), w.p.Waits()
	for i := range samples {
		w.sample(&m, &samples[i], false)
		w.put(fieldSample, m.b)
	}
	for i := range waits {
		w.sample(&m, &waits[i], true)
		w.put(fieldSample, m.b)
	}
	main := w.mainBinary()
	if main > 0 {
		w.mapping(&m, main)
		w.put(fieldMapping, m.b)
	}
	for i, used := range w.mappings {
		if id := profile.MappingID(i); used && id > 0 && id != main {
			w.mapping(&m, id)
			w.put(fieldMapping, m.b)
		}
	}
	for i, used := range w.locations {
		if used {
			w.location(&m, profile.LocationID(i))
			w.put(fieldLocation, m.b)
		}
	}
	for i, used := range w.functions {
		if used {
			w.function(&m, profile.FunctionID(i))
			w.put(fieldFunction, m.b)
		}
	}
	w.meta(&m)
}

// types are the sample types, in the order of a sample's values.
func (w *writer) types() (all []profile.ValueType) {
	if w.twoValues {
		all = append(all, samplesCount)
	}
	all = append(all, w.p.Meta.ValueType)
	if len(w.p.Waits()) > 0 {
		all = append(all, waitsCount, offCPU)
	}
	return all
}

// meta writes what is true of the whole profile, and the strings, which are
// complete only now.
func (w *writer) meta(m *message) {
	p := &w.p.Meta
	if p.PeriodType != (profile.ValueType{}) {
		w.valueType(m, p.PeriodType)
		w.put(fieldPeriodType, m.b)
	}
	m.reset()
	if !p.Start.IsZero() {
		m.number(fieldTime, uint64(p.Start.UnixNano()))
	}
	m.number(fieldDuration, uint64(p.Duration))
	m.number(fieldPeriod, uint64(p.Period))
	for _, c := range comments(p, w.unusualKinds()) {
		m.number(fieldComment, w.strings.add(c))
	}
	m.number(fieldDefaultType, w.strings.add(p.ValueType.Type))
	_, _ = w.out.Write(m.b)
	for _, s := range w.strings.list {
		w.put(fieldString, []byte(strings.ToValidUTF8(s, "\uFFFD")))
	}
}

var library = regexp.MustCompile(`\.so($|[._-])`)

// mainBinary is the program in which most samples have their root: the format
// wants it first among the mappings. 0 when there is none.
func (w *writer) mainBinary() profile.MappingID {
	program := make([]bool, len(w.mappings))
	for i, used := range w.mappings {
		program[i] = used && w.kinds[i] == profile.KindNative && !library.MatchString(w.p.Mapping(profile.MappingID(i)).Path)
	}
	weights := make([]int64, len(w.mappings))
	samples := w.p.Samples()
	for i := range samples {
		for _, l := range slices.Backward(w.p.Stack(samples[i].Stack)) {
			if m := w.p.Location(l).Mapping; program[m] {
				weights[m] += samples[i].Count
				break
			}
		}
	}
	main := profile.MappingID(0)
	for i, n := range weights {
		if n > weights[main] {
			main = profile.MappingID(i)
		}
	}
	return main
}

// unusualKinds lists the functions whose kind Read would not find by itself.
func (w *writer) unusualKinds() string {
	var ids [][]uint64
	for i, used := range w.functions {
		if !used {
			continue
		}
		f := w.p.Function(profile.FunctionID(i))
		if codename.OfIn(f.Name, f.File, w.kinds[f.Mapping]) == f.Kind && !strings.HasSuffix(f.File, ".s") {
			continue
		}
		for len(ids) <= int(f.Kind) {
			ids = append(ids, nil)
		}
		ids[f.Kind] = append(ids[f.Kind], functionID(profile.FunctionID(i)))
	}
	return kindList(ids)
}
