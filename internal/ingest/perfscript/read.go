package perfscript

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/profile"
)

// ErrEmpty says that the text has no sample.
var ErrEmpty = errors.New("perf script: no samples")

// maxLine is the longest line that is read; C++ symbols of 100 kB exist.
const maxLine = 1 << 20

// maxBad is the share of lines that may be unreadable before the text is
// refused.
const maxBad = 0.01

// Detect says whether head, the first bytes of a file, is such text: the first
// line that is no comment begins a sample or is a record, and the next is a
// frame.
func Detect(head []byte) bool {
	seen := header{}
	found := false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" && !found:
		case strings.Contains(line, ": PERF_RECORD_"):
			return true
		case !found:
			h, ok := parseHeader(line)
			if !ok {
				h, ok = parseBare(line)
			}
			if !ok || h.event == "" && h.rest != "" {
				return false
			}
			if h.rest != "" {
				f, ok := parseFrame(h.rest)
				return ok && (f.symbol != "" || f.dso != "")
			}
			seen, found = h, true
		default:
			f, ok := parseFrame(line)
			if seen.bare && f.symbol == "" {
				return false
			}
			return ok && strings.TrimLeft(line, " \t") != line || line == "" && seen.event != ""
		}
	}
	return false
}

// Read reads the text to its end.
func Read(ctx context.Context, r io.Reader) (*profile.Profile, error) {
	s := newReader()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		s.line++
		if s.line%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.take(strings.TrimRight(lines.Text(), "\r"))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("perf script: line %d: %w", s.line+1, err)
	}
	s.endSample()
	if s.bad > 0 && float64(s.bad) > maxBad*float64(s.line) {
		return nil, fmt.Errorf("perf script: line %d: neither a sample nor a frame: %.60q (%d such lines of %d)", s.badLine, s.badText, s.bad, s.line)
	}
	return s.build()
}

const checkEvery = 4096

// reader collects samples; the profile is built at the end, when every process
// has its name and every binary its size.
type reader struct {
	line    int
	bad     int
	badLine int
	badText string

	current  *header
	frames   []frame
	position []position // of the frames, where the text has them

	samples []sample
	stacks  [][]location
	stackID map[string]int
	binary  map[string]*binaryFile
	maps    map[int][]mmap
	comm    map[int]string // of a process: that of its first thread
	events  []string       // in order of appearance
	lost    uint64
	idle    int64
}

type sample struct {
	header
	stack int
}

type position struct {
	file string
	line int32
}

// binaryFile is a mapping in the making.
type binaryFile struct {
	path, buildID string
	kind          profile.Kind
	limit         uint64
}

// location is a frame whose address is settled.
type location struct {
	binary *binaryFile // nil: unknown
	addr   uint64
	names  []named // innermost inlined first; empty: no name
}

type named struct {
	symbol string
	position
}

func newReader() *reader {
	return &reader{
		stackID: map[string]int{}, binary: map[string]*binaryFile{}, maps: map[int][]mmap{}, comm: map[int]string{},
	}
}

func (s *reader) take(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		s.endSample()
	case strings.HasPrefix(line, "#"):
	case strings.Contains(line, " PERF_RECORD_"):
		s.endSample()
		s.record(line)
	case s.current != nil && line[0] <= ' ' && !startsSample(line):
		s.frame(line)
	default:
		s.endSample()
		h, ok := parseHeader(line)
		if !ok && (len(s.samples) == 0 || s.samples[0].bare) { // all of a text have the same fields
			h, ok = parseBare(line)
		}
		if !ok {
			s.unreadable(line)
			return
		}
		s.current = &h
		if f, ok := parseFrame(h.rest); ok && h.rest != "" {
			s.frames, s.position = append(s.frames, f), append(s.position, position{})
		}
	}
}

// startsSample tells whether an indented line is no frame. perf aligns the
// names of threads to the right, so that without stacks every line is indented;
// and "dd" or "add" is an address as well as a name.
func startsSample(line string) bool {
	if !strings.Contains(line, ": ") {
		return false
	}
	h, ok := parseHeader(line)
	return ok && h.timed && h.event != ""
}

func (s *reader) unreadable(line string) {
	if s.bad == 0 {
		s.badLine, s.badText = s.line, line
	}
	s.bad++
}

// record reads a side-band line; those that say nothing about code are passed
// over.
func (s *reader) record(line string) {
	if m, ok := parseMmap(line); ok {
		s.maps[m.pid] = append(s.maps[m.pid], m)
		return
	}
	if !strings.Contains(line, "PERF_RECORD_LOST") {
		return
	}
	if m := lostRecord.FindStringSubmatch(line); m != nil {
		n, _ := strconv.ParseUint(m[1], 10, 64) // digits
		s.lost += n
	}
}

func (s *reader) frame(line string) {
	if f, ok := parseFrame(line); ok {
		s.frames, s.position = append(s.frames, f), append(s.position, position{})
		return
	}
	if p, inlined, ok := parseSource(line); ok && len(s.frames) > 0 {
		last := len(s.frames) - 1
		s.frames[last].inlined = s.frames[last].inlined || inlined
		s.position[last] = p
		return
	}
	s.unreadable(line)
}

// endSample books the sample that was being read.
func (s *reader) endSample() {
	h := s.current
	if h == nil {
		return
	}
	s.current = nil
	frames := s.frames
	defer func() { s.frames, s.position = s.frames[:0], s.position[:0] }()
	if h.bare && len(frames) == 0 {
		s.unreadable(h.comm)
		return
	}
	if !h.bare && h.tid == 0 && (!h.hasPID || h.pid == 0) {
		s.idle++
		return
	}
	if h.hasPID && h.pid == h.tid {
		s.comm[h.pid] = h.comm
	}
	h.event = strings.Clone(h.event)
	h.comm, h.rest = strings.Clone(h.comm), ""
	if !slices.Contains(s.events, h.event) {
		s.events = append(s.events, h.event)
	}
	s.samples = append(s.samples, sample{*h, s.stack(h, frames)})
}
