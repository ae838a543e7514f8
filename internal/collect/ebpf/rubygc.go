package ebpf

import (
	"debug/elf"
	"fmt"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/support"
	"golang.org/x/arch/x86/x86asm"

	"whyhot/internal/elfinfo/elffile"
)

// collectorPlace is where a build of Ruby keeps the word that says whether it collects
// garbage. The profiler has a table by release, but the structures depend on how Ruby was
// configured: with one member more, it reads a number of another table, and takes that
// for the word. rb_during_gc of the library itself knows.
type collectorPlace struct {
	known   bool  // of x86-64 only: elsewhere the profiler's table is all there is
	objects int64 // in the virtual machine: of the pointer to the collector's data; 0 where the code does not say
	flags   int64 // in those; 0 where the code does not say
	bit     int64 // of the word; 0 where the code does not say
}

// duringGC is the bit that the kernel part looks at.
const duringGC = 5

// complete tells the kernel part, and whether it changed something. Where the place is
// unknown the kernel part is not to look: a guess makes all of a program a collection.
func (c *collectorPlace) complete(info *support.RubyProcInfo) bool {
	before := *info
	switch {
	case !c.known || !info.Has_objspace:
	case c.objects <= 0 || c.objects > 1<<15 || c.flags > 1<<7 || c.bit != 0 && c.bit != duringGC:
		info.Has_objspace = false
	default:
		info.Vm_objspace = uint16(c.objects)
		if c.flags > 0 {
			info.Objspace_flags = uint8(c.flags)
		}
	}
	return *info != before
}

// collectorIn reads rb_during_gc of a library.
func collectorIn(path string) (place collectorPlace, err error) {
	err = elffile.Guard(path, func() error {
		f, err := pfelf.Open(path)
		if err != nil {
			return fmt.Errorf("opening a library: %w", err)
		}
		defer func() { _ = f.Close() }() // only read from
		if f.Machine != elf.EM_X86_64 {
			return nil
		}
		place.known = true
		const most = 256
		symbol, code, err := f.SymbolData(libpf.SymbolName("rb_during_gc"), most)
		if err != nil {
			return nil //nolint:nilerr // it is not exported: nothing is known of the place
		}
		place.read(uint64(symbol.Address), code, func(at uint64) []byte {
			more, err := f.VirtualMemory(int64(at), most, most)
			if err != nil {
				return nil
			}
			return more
		})
		return nil
	})
	return place, err
}

// read follows the loads of the function: of the pointer to the virtual machine, of that
// to the collector's data there, and of the word. A release that has the collector in a
// file of its own jumps there between the two.
func (c *collectorPlace) read(at uint64, code []byte, jump func(at uint64) []byte) {
	const (
		leastOffset = 256 // the pointer is far inside the virtual machine
		pointer     = 64
		jumps       = 2
	)
	var holder x86asm.Reg // of the pointer to the collector's data
	for jumped := 0; len(code) > 0; {
		inst, err := x86asm.Decode(code, pointer)
		if err != nil || inst.Op == x86asm.RET {
			return
		}
		at, code = at+uint64(inst.Len), code[inst.Len:]
		if to, direct := inst.Args[0].(x86asm.Rel); inst.Op == x86asm.JMP && direct && jumped < jumps {
			jumped++
			at += uint64(int64(to))
			code = jump(at)
			continue
		}
		mem, loads := inst.Args[1].(x86asm.Mem)
		loads = loads && (inst.Op == x86asm.MOV || inst.Op == x86asm.MOVZX)
		amount, immediate := inst.Args[1].(x86asm.Imm)
		switch {
		case loads && inst.MemBytes == pointer/8 && mem.Base != x86asm.RIP && mem.Disp >= leastOffset:
			c.objects = mem.Disp
			holder, _ = inst.Args[0].(x86asm.Reg)
		case loads && c.objects > 0 && c.flags == 0 && mem.Base == holder && inst.MemBytes < pointer/8:
			c.flags = mem.Disp
		case immediate && c.flags > 0 && c.bit == 0 && inst.Op == x86asm.SHR:
			c.bit = int64(amount)
		}
	}
}
