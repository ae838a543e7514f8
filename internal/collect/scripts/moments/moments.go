package moments

import (
	"encoding/binary"
	"slices"
	"time"

	"whyhot/internal/profile"
)

// Frame is a function of a script, or one of the runtime's own, which has no file.
type Frame struct {
	Function, File string
	Start, Line    int32 // 0: not known
}

// Code is where in a file the machine code of one of the runtime's functions is.
type Code struct {
	Path      string
	Low, High uint64 // offsets in the file
	Function  string // as frames name it
}

// Track is what a process was doing.
type Track struct {
	PID    uint32
	Kind   profile.Kind
	Within time.Duration // how far from a sample a moment may be
	Code   []Code
	// Copying is the function, as frames name it, that copies memory although no code of its
	// own shows it: an operator. "" where there is none.
	Copying string

	moments []moment
	stacks  [][]Frame
	index   map[string]int32
	frames  map[Frame]uint32
}

type moment struct {
	at    int64 // ns since the epoch
	stack int32
}

// Add appends what it does at a time, innermost first. Times must not run backwards.
func (t *Track) Add(at time.Time, stack []Frame) {
	if t.index == nil {
		t.index, t.frames = map[string]int32{}, map[Frame]uint32{}
	}
	key := make([]byte, 0, 4*len(stack))
	for _, f := range stack {
		n, known := t.frames[f]
		if !known {
			n = uint32(len(t.frames)) //nolint:gosec // there are never so many
			t.frames[f] = n
		}
		key = binary.NativeEndian.AppendUint32(key, n)
	}
	id, known := t.index[string(key)]
	if !known {
		id = int32(len(t.stacks)) //nolint:gosec // likewise
		t.stacks = append(t.stacks, slices.Clone(stack))
		t.index[string(key)] = id
	}
	t.moments = append(t.moments, moment{at.UnixNano(), id})
}

// Len is how many moments there are.
func (t *Track) Len() int { return len(t.moments) }

// Rename changes each frame once, when more is known of a script than while it ran.
func (t *Track) Rename(change func(Frame) Frame) {
	for _, stack := range t.stacks {
		for i := range stack {
			stack[i] = change(stack[i])
		}
	}
}

// nearest is the moment next to a time, -1 where none is near enough.
func (t *Track) nearest(at int64) int {
	i, _ := slices.BinarySearchFunc(t.moments, at, func(m moment, at int64) int {
		switch {
		case m.at < at:
			return -1
		case m.at > at:
			return 1
		}
		return 0
	})
	best, off := -1, t.Within.Nanoseconds()
	for _, k := range []int{i - 1, i} {
		if k < 0 || k >= len(t.moments) {
			continue
		}
		if d := max(t.moments[k].at-at, at-t.moments[k].at); d <= off {
			best, off = k, d
		}
	}
	return best
}

// doing is the runtime's own function that runs at a moment, "" for none.
func (t *Track) doing(i int) string {
	if stack := t.stacks[t.moments[i].stack]; len(stack) > 0 && stack[0].File == "" {
		return stack[0].Function
	}
	return ""
}

// like is the moment nearest to i at which the runtime does the same as the sample; i where
// there is none.
func (t *Track) like(i int, doing string) int {
	middle, within := t.moments[i].at, t.Within.Nanoseconds()
	for d := 0; ; d++ {
		outside := true
		for _, k := range []int{i - d, i + d} {
			if k < 0 || k >= len(t.moments) || max(t.moments[k].at-middle, middle-t.moments[k].at) > within {
				continue
			}
			outside = false
			if t.doing(k) == doing {
				return k
			}
		}
		if outside {
			return i
		}
	}
}
