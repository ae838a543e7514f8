package perfdata

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"whyhot/internal/ingest/unwind"
	"whyhot/internal/profile"
)

// image is what becomes one profile.Mapping: a file, the kernel, a module, or
// the file-less code of one process.
type image struct {
	index   uint32
	path    string
	buildID string
	kind    profile.Kind
	name    string // of the one function that it is, for BPF programs
	// Addresses in the profile are file offset + base: the address at which the
	// first process had it. Where there is no file, base is 0 and the "offset" is
	// the address.
	base     uint64
	absolute bool
	lo, hi   uint64 // addresses of the regions that samples hit

	listed   bool // the two below are made
	mapping  profile.MappingID
	function profile.FunctionID // its one unnamed function

	once    sync.Once // guards the two below
	module  *unwind.Module
	missing bool // it should have a module and has none
}

// unknownImage stands for addresses that lie in no known region.
const unknownImage = 0

const kernelName = "[kernel.kallsyms]"

type imageKey struct{ path, buildID string }

// images interns them. Index 0 is the unknown one.
type images struct {
	list []*image
	byID map[imageKey]*image
}

func newImages() *images {
	b := &images{byID: map[imageKey]*image{}}
	b.add(&image{absolute: true})
	return b
}

func (b *images) add(bin *image) *image {
	bin.index = uint32(len(b.list))
	bin.lo = math.MaxUint64
	b.list = append(b.list, bin)
	return bin
}

// kernel is the kernel, a module or a BPF program.
func (b *images) kernel(path, function string) *image {
	k := imageKey{path, ""}
	if bin := b.byID[k]; bin != nil {
		return bin
	}
	bin := b.add(&image{path: path, kind: profile.KindKernel, name: function, absolute: true})
	b.byID[k] = bin
	return bin
}

// user is what a process has mapped under name at start, from the file offset
// off on.
func (b *images) user(pid uint32, name, buildID string, start, off uint64) *image {
	kind := profile.KindNative
	absolute := false
	switch {
	case name == "[vdso]":
		kind = profile.KindVDSO
	case name == "[vsyscall]":
		kind, absolute = profile.KindVDSO, true
	case fileless(name):
		name, kind, absolute = fmt.Sprintf("/tmp/perf-%d.map", pid), profile.KindJIT, true
	}
	k := imageKey{name, buildID}
	if bin := b.byID[k]; bin != nil {
		return bin
	}
	bin := b.add(&image{path: name, buildID: buildID, kind: kind, absolute: absolute})
	if !absolute && off <= start {
		bin.base = start - off
	}
	b.byID[k] = bin
	return bin
}

// fileless says that a mapping's name stands for memory that no file can
// explain: what runs there was made at run time.
func fileless(name string) bool {
	for _, prefix := range [...]string{"//anon", "[anon", "[heap]", "[stack", "/dev/zero", "/anon_hugepage", "/SYSV"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	// A memfd may be a whole program that runs from memory (containers start
	// that way), or what a JIT maps twice, to write and to run.
	if memfd, ok := strings.CutPrefix(name, "/memfd:"); ok {
		memfd = strings.ToLower(memfd)
		return strings.HasPrefix(memfd, "doublemapper") || strings.Contains(memfd, "jit")
	}
	return name == ""
}

// region is the address range of bin that starts at start.
func (bin *image) region(start, end, off uint64) region {
	if bin.absolute {
		off = start
	}
	return region{start: start, end: end, off: off, bin: bin}
}

// address turns a run-time address in r into one of the profile.
func (r *region) address(addr uint64) uint64 { return addr - r.start + r.off + r.bin.base }

// hit widens the binary's mapping to hold r.
func (r *region) hit() {
	lo := r.address(r.start)
	hi := lo + (r.end - r.start)
	r.bin.lo = min(r.bin.lo, lo)
	r.bin.hi = max(r.bin.hi, hi)
}

// extent is the mapping as the whole recording shows it. ids are build IDs by
// path, for records that did not bring their own.
func (bin *image) extent(ids map[string]string) profile.Mapping {
	m := profile.Mapping{Path: bin.path, BuildID: bin.buildID, Start: bin.lo, Limit: bin.hi}
	if !bin.absolute {
		m.Offset = bin.lo - bin.base
	}
	if m.BuildID == "" {
		m.BuildID = ids[bin.path]
	}
	return m
}
