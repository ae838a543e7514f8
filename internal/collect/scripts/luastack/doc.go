// Package luastack reads which lines of a Lua program are being executed, out of the memory
// of its process.
//
// It owns the layouts of Lua's structures (PUC-Rio's 5.1 to 5.4 on 64-bit machines) and the
// walk over them: the state, its call infos, their functions, the line of an instruction.
// It takes the memory of a process, a version and the address of a state, and gives calls,
// innermost first. It must never write to that memory, stop the process or start one.
//
// The process goes on while it is read, so every pointer, count and tag may be wrong: what
// does not fit ends the walk, and a walk during which the innermost call has changed is
// not used. Until it next calls, allocates or may fail, Lua 5.1 and 5.4 keep the position
// in their innermost function in a register: the line is then the last one that did.
//
// Layouts: lstate.h, lobject.h, lopcodes.h and ldebug.c of each version.
package luastack
