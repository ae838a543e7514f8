package luastack

import (
	"errors"
	"fmt"
	"slices"
)

// Call is one function that has been called and has not returned.
type Call struct {
	C       uint64 // of a function in C, what tostring shows of it; else 0
	Source  string // as the chunk was named: "@path" for a file
	Line    int    // 0 where it is not known
	Defined int    // the line where the function begins; 0 for a chunk
	Concat  bool   // it concatenates
}

// Reader reads one state.
type Reader struct {
	memory  Memory
	layout  *layout
	state   uint64
	buffer  [128]byte
	sources map[uint64]string
}

const (
	// mostCalls bound a walk: of a deeper stack, the innermost calls are given.
	mostCalls = 64
	// mostSteps bound it where what is read makes no sense, and leads in a circle.
	mostSteps = 4 * mostCalls
	// mostThreads bound how far coroutines that resume others are followed.
	mostThreads = 16
	// mostText bounds the name of a chunk, and mostCode the instructions of a function.
	mostText = 4096
	mostCode = 1 << 20
)

// New gives a reader for the main thread of the state that a thread belongs to.
func New(memory Memory, version string, thread uint64) (*Reader, error) {
	l := layouts[version]
	if l == nil {
		return nil, fmt.Errorf("the layout of Lua %s is not known", version)
	}
	r := &Reader{memory: memory, layout: l, state: thread, sources: map[uint64]string{}}
	if l.mainThread == 0 {
		return r, nil
	}
	b := r.buffer[:l.stateSize]
	if !r.bytes(thread, b) || !r.bytes(word(b, l.global)+uint64(l.mainThread), r.buffer[:8]) {
		return nil, errors.New("the state of Lua cannot be read")
	}
	r.state = word(r.buffer[:], 0)
	return r, nil
}

// Read gives the calls, innermost first. It is false where they changed meanwhile, or make
// no sense.
func (r *Reader) Read() ([]Call, bool) {
	var out []Call
	thread := r.state
	for range mostThreads {
		calls, resumed, ok := r.thread(thread)
		if !ok {
			return nil, false
		}
		out = append(calls, out...)
		if resumed == 0 {
			break
		}
		thread = resumed
	}
	return out[:min(len(out), mostCalls)], true
}

// thread reads the calls of one thread, and which other one it has resumed.
func (r *Reader) thread(at uint64) (calls []Call, resumed uint64, ok bool) {
	l := r.layout
	head := make([]byte, l.stateSize)
	if !r.bytes(at, head) {
		return nil, 0, false
	}
	first := word(head, l.ci)
	info := make([]byte, l.ciSize)
	ci := first
	for step := 0; step < mostSteps && len(calls) < mostCalls && ci != 0; step++ {
		if !r.bytes(ci, info) {
			return nil, 0, false
		}
		pc := word(info, l.pc)
		if ci == first && l.savedPC != 0 {
			pc = word(head, l.savedPC)
		}
		call, callee, is := r.call(word(info, l.function), pc)
		switch {
		case is:
			calls = append(calls, call)
		case len(calls) == 0:
			return nil, 0, false
		}
		if ci == first {
			resumed = callee
		}
		if l.previous >= 0 {
			ci = word(info, l.previous)
		} else if ci -= uint64(l.ciSize); ci <= word(head, l.base) {
			break // the first one is of what called Lua
		}
	}
	again := make([]byte, l.stateSize)
	if !r.bytes(at, again) || word(again, l.ci) != first {
		return nil, 0, false
	}
	return calls, resumed, true
}

// call reads the function in a slot of the stack. resumed is the thread that a function in C
// has resumed: its first argument (coroutine.resume), or what it keeps (coroutine.wrap).
func (r *Reader) call(slot, pc uint64) (c Call, resumed uint64, ok bool) {
	l := r.layout
	var value [2 * valueSize]byte
	if !r.bytes(slot, value[:]) {
		return c, 0, false
	}
	content, tag := word(value[:], 0), value[tagAt]
	var closure [56]byte
	switch {
	case tag == l.light:
		return Call{C: content}, r.running(word(value[:], valueSize), value[valueSize+tagAt]), true
	case tag != l.luaFunction && tag != l.cClosure || !r.bytes(content, closure[:]):
		return c, 0, false
	case tag == l.cClosure && (tag != l.luaFunction || closure[10] != 0): // 5.1 has one tag, and isC
		if resumed = r.running(word(value[:], valueSize), value[valueSize+tagAt]); resumed == 0 {
			resumed = r.running(word(closure[:], l.upvalue), closure[l.upvalue+tagAt])
		}
		return Call{C: content}, resumed, true
	}
	c, ok = r.position(word(closure[:], l.proto), pc)
	return c, 0, ok
}

// running is a thread that is a value, where it runs or has resumed another one.
func (r *Reader) running(thread uint64, tag byte) uint64 {
	l := r.layout
	b := r.buffer[:l.stateSize]
	if tag != l.thread || thread == r.state || !r.bytes(thread, b) || b[l.status] != 0 || b[objectTag]&0xf != l.thread&0xf {
		return 0
	}
	return thread
}

// position is where in a function an instruction is.
func (r *Reader) position(proto, pc uint64) (c Call, ok bool) {
	l := r.layout
	b := r.buffer[:l.protoSize]
	if !r.bytes(proto, b) {
		return c, false
	}
	code, size := word(b, l.code), number(b, l.sizeCode)
	source, lines, many := word(b, l.source), word(b, l.lines), number(b, l.sizeLines)
	var absolute uint64
	var marks int
	if l.absolute != 0 {
		absolute, marks = word(b, l.absolute), number(b, l.sizeAbsolute)
	}
	c.Defined = number(b, l.defined)
	const instruction = 4
	at := int64(pc-code)/instruction - 1
	if size <= 0 || size > mostCode || c.Defined < 0 || at < -1 || at >= int64(size) {
		return c, false
	}
	at = max(at, 0) // it has just been called
	if c.Source, ok = r.text(source); !ok {
		return c, false
	}
	if many == size {
		c.Line = r.line(lines, absolute, marks, c.Defined, int(at))
	}
	var op [instruction]byte
	if r.bytes(code+uint64(at)*instruction, op[:]) {
		c.Concat = uint32(number(op[:], 0))&l.opMask == l.opConcat
	}
	return c, true
}

// line is that of an instruction; 0 where it cannot be told. From 5.4 on there is one byte
// for each, the difference to the one before, and from time to time a mark.
func (r *Reader) line(lines, absolute uint64, marks, defined, at int) int {
	if r.layout.absolute == 0 {
		var n [4]byte
		if !r.bytes(lines+4*uint64(at), n[:]) {
			return 0
		}
		return max(number(n[:], 0), 0)
	}
	const markSize, isMark = 8, -128
	from, line := -1, defined
	if marks > 0 && marks <= mostCode {
		all := make([]byte, markSize*marks)
		if !r.bytes(absolute, all) {
			return 0
		}
		for m := 0; m < len(all) && number(all, m) <= at; m += markSize {
			from, line = number(all, m), number(all, m+4)
		}
	}
	if from < -1 || at-from > mostCode {
		return 0
	}
	steps := make([]byte, at-from)
	if len(steps) > 0 && !r.bytes(lines+uint64(from+1), steps) {
		return 0
	}
	for _, s := range steps {
		if int8(s) == isMark {
			return 0 // the marks were read while they changed
		}
		line += int(int8(s))
	}
	return max(line, 0)
}

// text reads a string. Names of chunks are few, and live as long as one of their functions.
func (r *Reader) text(at uint64) (string, bool) {
	if s, known := r.sources[at]; known {
		return s, true
	}
	var head [textAt]byte
	if !r.bytes(at, head[:]) || head[objectTag]&0xf != 4 {
		return "", false
	}
	length := word(head[:], longLength)
	if long := r.layout.longString; long != 0 && head[objectTag] != long {
		length = uint64(head[shortLength])
	}
	text := make([]byte, min(length, mostText))
	if len(text) > 0 && !r.bytes(at+textAt, text) || slices.Contains(text, 0) {
		return "", false
	}
	if len(r.sources) >= mostText {
		clear(r.sources) // a program that loads chunks all the time
	}
	r.sources[at] = string(text)
	return string(text), true
}

// Function is where the code of a function in C begins, of which the value is known: a light
// function is its address itself, of a closure it is read.
func (r *Reader) Function(value uint64) uint64 {
	var at [8]byte
	if !r.bytes(value+uint64(r.layout.cFunction), at[:]) {
		return 0
	}
	return word(at[:], 0)
}
