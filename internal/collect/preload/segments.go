package preload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/pprof/profile"
)

// A file has one segment for every process that wrote to it: a process made by
// fork without exec shares its parent's file, and at its exit writes the samples
// that the parent had until then.
//
// A segment is a header of five words (0, 3, version 0, period in µs, 0), one
// record a stack (count, number of addresses, the addresses), the record
// (0, 1, 0), and text without a zero byte.
const (
	wordSize    = 8
	headerWords = 5
)

var errIncomplete = errors.New("the profile has no end: its process was killed while it wrote")

// segments cuts a file where one process's profile ends and the next begins.
func segments(data []byte) ([][]byte, error) {
	var all [][]byte
	for start := 0; start < len(data); {
		end, err := endOfSamples(data, start)
		if err != nil {
			return all, err
		}
		next := len(data)
		if zero := bytes.IndexByte(data[end:], 0); zero >= 0 {
			next = end + zero
		}
		all = append(all, data[start:next])
		start = next
	}
	return all, nil
}

// endOfSamples gives where the text behind the segment's records starts.
func endOfSamples(data []byte, start int) (int, error) {
	word := func(pos int) uint64 { return binary.NativeEndian.Uint64(data[pos:]) }
	pos := start + headerWords*wordSize
	if pos > len(data) {
		return 0, errIncomplete
	}
	if word(start) != 0 || word(start+wordSize) != 3 {
		return 0, fmt.Errorf("offset %d: not the header of a CPU profile", start)
	}
	for {
		if pos+2*wordSize > len(data) {
			return 0, errIncomplete
		}
		count, depth := word(pos), word(pos+wordSize)
		pos += 2 * wordSize
		if depth > uint64(len(data)-pos)/wordSize {
			return 0, errIncomplete
		}
		last := count == 0 && depth == 1 && word(pos) == 0
		pos += int(depth) * wordSize
		if last {
			return pos, nil
		}
	}
}

// parse reads a file and gives the profile of the process that owns it: the one
// with most samples, since the copies in forked children end at the fork.
func parse(data []byte) (*profile.Profile, error) {
	parts, cut := segments(data)
	var best *profile.Profile
	var most int64
	for _, part := range parts {
		p, err := profile.ParseData(part)
		if err != nil {
			return nil, fmt.Errorf("parsing a CPU profile: %w", err)
		}
		if n := events(p); best == nil || n > most {
			best, most = p, n
		}
	}
	if best == nil {
		return nil, cut
	}
	return best, nil
}

// events counts samples: the first value of each.
func events(p *profile.Profile) int64 {
	var n int64
	for _, s := range p.Sample {
		if len(s.Value) > 0 {
			n += s.Value[0]
		}
	}
	return n
}
