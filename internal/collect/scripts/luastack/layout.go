package luastack

// layout is where a version keeps what is needed. Offsets are in bytes; a value has its tag
// eight bytes after its content, and takes sixteen.
type layout struct {
	// lua_State
	status, global, ci int
	stateSize          int
	// CallInfo. previous is -1 where call infos are an array, with base the first.
	function, previous, pc, base int
	ciSize                       int
	savedPC                      int // in lua_State, of the innermost call; 0: it is in the call info
	mainThread                   int // in global_State
	// tags of values
	luaFunction, cClosure, light, thread byte
	// closures
	proto, cFunction, upvalue int
	// Proto
	code, sizeCode, lines, sizeLines, absolute, sizeAbsolute, source, defined int
	protoSize                                                                 int
	// opcodes
	opMask, opConcat uint32
	// TString
	longString byte // the tag of one whose length is in length; 0: of all
}

const (
	valueSize   = 16
	tagAt       = 8
	objectTag   = 8 // in every object
	shortLength = 11
	longLength  = 16
	textAt      = 24
)

// collectable marks tags of values that are objects, from 5.2 on.
const collectable = 1 << 6

// layouts are the known ones, by version.
var layouts = map[string]*layout{
	"5.1": {
		status: 10, global: 32, ci: 40, stateSize: 88, savedPC: 48, mainThread: 176,
		function: 8, previous: -1, pc: 24, base: 80, ciSize: 40,
		luaFunction: 6, cClosure: 6, light: 0xff, thread: 8,
		proto: 32, cFunction: 32, upvalue: 40,
		code: 24, sizeCode: 80, lines: 40, sizeLines: 84, source: 64, defined: 96, protoSize: 112,
		opMask: 0x3f, opConcat: 21,
	},
	"5.2": {
		status: 10, global: 24, ci: 32, stateSize: 40,
		function: 0, previous: 16, pc: 56, ciSize: 72,
		luaFunction: 6 | collectable, cClosure: 0x26 | collectable, light: 0x16, thread: 8 | collectable,
		proto: 24, cFunction: 24, upvalue: 32,
		code: 24, sizeCode: 88, lines: 40, sizeLines: 92, source: 72, defined: 104, protoSize: 112,
		opMask: 0x3f, opConcat: 22,
	},
	"5.3": {
		status: 12, global: 24, ci: 32, stateSize: 40,
		function: 0, previous: 16, pc: 40, ciSize: 72,
		luaFunction: 6 | collectable, cClosure: 0x26 | collectable, light: 0x16, thread: 8 | collectable,
		proto: 24, cFunction: 24, upvalue: 32,
		code: 56, sizeCode: 24, lines: 72, sizeLines: 28, source: 104, defined: 40, protoSize: 112,
		opMask: 0x3f, opConcat: 29, longString: 0x14,
	},
	"5.4": {
		status: 10, global: 24, ci: 32, stateSize: 40,
		function: 0, previous: 16, pc: 32, ciSize: 64,
		luaFunction: 6 | collectable, cClosure: 0x26 | collectable, light: 0x16, thread: 8 | collectable,
		proto: 24, cFunction: 24, upvalue: 32,
		code: 64, sizeCode: 24, lines: 88, sizeLines: 28, absolute: 96, sizeAbsolute: 40, source: 112, defined: 44, protoSize: 120,
		opMask: 0x7f, opConcat: 53, longString: 0x14,
	},
}
