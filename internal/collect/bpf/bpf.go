// Package bpf writes programs for the kernel instruction by instruction.
//
// It owns the few sequences that all of them have: to put a number into the stack, to look up
// and to set an entry of a map. It takes file descriptors of maps and places in the stack, and
// gives instructions. It must never import another package of this module.
//
// A sequence that calls the kernel uses registers 0 to 5, and 6 to 9 stay as they are.
//
// Example. To count in a map of one entry, whose key is at -8 in the stack:
//
//	var c bpf.Code
//	c.Store(-8, 0)
//	c.Lookup(counter, -8, "end")
//	c.Add(asm.R0, 0, 1)
//	c.End("end")
package bpf

import (
	"runtime"

	"github.com/cilium/ebpf/asm"
)

// Code is a program that is being written.
type Code asm.Instructions

// Do adds instructions.
func (c *Code) Do(more ...asm.Instruction) { *c = append(*c, more...) }

// Number writes eight bytes to the stack. asm.StoreImm refuses that size, since the constant
// has four; the kernel extends it by its sign.
func Number(at int16, n int32) asm.Instruction {
	return asm.Instruction{OpCode: asm.StoreImmOp(asm.DWord), Dst: asm.RFP, Offset: at, Constant: int64(n)}
}

// Store writes eight bytes to the stack.
func (c *Code) Store(at int16, n int32) { c.Do(Number(at, n)) }

// Place gives a register the address of a place in the stack.
func (c *Code) Place(to asm.Register, at int16) {
	c.Do(asm.Mov.Reg(to, asm.RFP), asm.Add.Imm(to, int32(at)))
}

// Find looks a key up: register 0 is then the address of its value, or 0.
func (c *Code) Find(in int, key int16) {
	c.Do(asm.LoadMapPtr(asm.R1, in))
	c.Place(asm.R2, key)
	c.Do(asm.FnMapLookupElem.Call())
}

// Lookup is Find that goes to a symbol where the key is not there.
func (c *Code) Lookup(in int, key int16, otherwise string) {
	c.Find(in, key)
	c.Do(asm.JEq.Imm(asm.R0, 0, otherwise))
}

// Update sets the value of a key, which may be new.
func (c *Code) Update(in int, key, value int16) {
	c.Do(asm.LoadMapPtr(asm.R1, in))
	c.Place(asm.R2, key)
	c.Place(asm.R3, value)
	c.Do(asm.Mov.Imm(asm.R4, 0), asm.FnMapUpdateElem.Call())
}

// Delete removes a key; register 0 is then 0 if it was there.
func (c *Code) Delete(in int, key int16) {
	c.Do(asm.LoadMapPtr(asm.R1, in))
	c.Place(asm.R2, key)
	c.Do(asm.FnMapDeleteElem.Call())
}

// Named gives a symbol to the first of the instructions that write adds: a jump goes there.
func (c *Code) Named(symbol string, write func()) {
	first := len(*c)
	write()
	(*c)[first] = (*c)[first].WithSymbol(symbol)
}

// Add adds to eight bytes that a register points to. Another processor may do so at the same
// time, and one of both is lost. It uses register 1.
func (c *Code) Add(to asm.Register, at int16, n int32) {
	c.Do(asm.LoadMem(asm.R1, to, at, asm.DWord), asm.Add.Imm(asm.R1, n), asm.StoreMem(to, at, asm.R1, asm.DWord))
}

// End is the end of a program, with a symbol.
func (c *Code) End(symbol string) {
	c.Do(asm.Mov.Imm(asm.R0, 0).WithSymbol(symbol), asm.Return())
}

// The places of registers in what the kernel gives a probe (struct pt_regs).
const (
	// amd64: ax, bx, cx, r14 and the stack pointer.
	amdAX, amdR14, amdSP = 80, 8, 152
	// arm64: x0 to x30, the stack pointer.
	armWord, armG, armLink = 8, 28, 30
)

// Argument is where the context of a probe has the n-th argument of a function of C, from 1 on,
// on this machine; known is false where that is not known.
func Argument(n int) (offset int16, known bool) {
	switch runtime.GOARCH {
	case "amd64":
		return map[int]int16{1: 112, 2: 104, 3: 96, 4: 88}[n], true //nolint:mnd // rdi, rsi, rdx, rcx
	case "arm64":
		return int16(armWord * (n - 1)), true //nolint:gosec // x0, x1, …
	}
	return 0, false
}

// Go is where the context of a probe at the start of a function of Go has what its ABI puts
// into registers (cmd/compile/abi-internal.md, since Go 1.17).
type Go struct {
	Goroutine int16 // the address of its descriptor, g
	First     int16 // the first argument
	// Caller is the return address where it is in a register; else Stack has the address of it.
	Caller, Stack int16
}

// GoRegisters are those of this machine; known is false where that is not known.
func GoRegisters() (g Go, known bool) {
	switch runtime.GOARCH {
	case "amd64":
		return Go{Goroutine: amdR14, First: amdAX, Stack: amdSP}, true
	case "arm64":
		return Go{Goroutine: armWord * armG, Caller: armWord * armLink}, true
	}
	return Go{}, false
}
