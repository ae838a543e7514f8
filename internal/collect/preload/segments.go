package preload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

// A file has one segment for every process that wrote to it: a process made by
// fork without exec shares its parent's file, and at its exit writes the samples
// that the parent had until then.
//
// A segment is a header of five words (0, 3, version 0, period in µs, 0), one
// record a stack (count, number of addresses, the addresses), the record
// (0, 1, 0), and text without a zero byte.
//
// The parser of google/pprof is not used for the records: it takes a caller that
// all samples share for the profiler's own signal handler and drops it, and that
// of main as well.
const (
	wordSize    = 8
	headerWords = 5
	// longestPeriod is gperftools' slowest clock, once a second.
	longestPeriod = 1_000_000
)

var errIncomplete = errors.New("the profile is truncated: its process was killed while writing it")

// segment is what one process wrote.
type segment struct {
	period time.Duration
	stacks []stack
	maps   []*profile.Mapping
	events int64
}

// stack has its addresses leaf first, those of callers being return addresses.
type stack struct {
	count     int64
	addresses []uint64
}

// parse reads a file and gives what the process that owns it wrote: the segment
// with most samples, since the copies in forked children end at the fork.
func parse(data []byte) (*segment, error) {
	var best *segment
	for start := 0; start < len(data); {
		s, next, err := parseSegment(data, start)
		if err != nil {
			if best != nil && errors.Is(err, errIncomplete) {
				break
			}
			return nil, err
		}
		if best == nil || s.events > best.events {
			best = s
		}
		start = next
	}
	if best == nil {
		return nil, errIncomplete
	}
	return best, nil
}

// parseSegment reads the segment at start and tells where the next one is.
func parseSegment(data []byte, start int) (s *segment, next int, err error) {
	word := func(pos int) uint64 { return binary.NativeEndian.Uint64(data[pos:]) }
	pos := start + headerWords*wordSize
	if pos > len(data) {
		return nil, 0, errIncomplete
	}
	period := word(start + 3*wordSize)
	if word(start) != 0 || word(start+wordSize) != 3 || word(start+2*wordSize) != 0 || period == 0 || period > longestPeriod {
		return nil, 0, fmt.Errorf("offset %d: not the header of a CPU profile", start)
	}
	s = &segment{period: time.Duration(period) * time.Microsecond}
	for {
		if pos+2*wordSize > len(data) {
			return nil, 0, errIncomplete
		}
		count, depth := word(pos), word(pos+wordSize)
		pos += 2 * wordSize
		if depth > uint64(len(data)-pos)/wordSize {
			return nil, 0, errIncomplete
		}
		addresses := make([]uint64, depth)
		for i := range addresses {
			addresses[i] = word(pos)
			pos += wordSize
		}
		if count == 0 && slices.Equal(addresses, []uint64{0}) {
			break
		}
		if count > math.MaxInt32 {
			return nil, 0, fmt.Errorf("offset %d: %d samples of one stack", pos, count)
		}
		s.stacks = append(s.stacks, stack{int64(count), addresses})
		s.events += int64(count)
	}
	next = len(data)
	if zero := bytes.IndexByte(data[pos:], 0); zero >= 0 {
		next = pos + zero
	}
	if s.maps, err = profile.ParseProcMaps(bytes.NewReader(data[pos:next])); err != nil {
		return nil, 0, fmt.Errorf("offset %d: reading the memory map: %w", pos, err)
	}
	return s, next, nil
}

// mapping finds what the process had at an address, nil for nothing.
func (s *segment) mapping(addr uint64) *profile.Mapping {
	for _, m := range s.maps {
		if addr >= m.Start && addr < m.Limit {
			return m
		}
	}
	return nil
}
