package perfdata

import (
	"encoding/binary"
	"math"

	"whyhot/internal/profile"
)

// Context markers in a call chain say in which mode the addresses behind them
// run; everything from contextMax up is one.
const (
	contextMax          = -4095 & math.MaxUint64
	contextHypervisor   = -32 & math.MaxUint64
	contextKernel       = -128 & math.MaxUint64
	contextUser         = -512 & math.MaxUint64
	contextUserDeferred = -640 & math.MaxUint64
	contextGuest        = -2048 & math.MaxUint64
	contextGuestKernel  = -2176 & math.MaxUint64
	contextGuestUser    = -2560 & math.MaxUint64
)

const (
	resolveCacheBits = 14
	// hashFactor spreads numbers over 64 bits (2^64 divided by the golden ratio).
	hashFactor = 0x9e3779b97f4a7c15
)

// resolver turns run-time addresses into frames.
type resolver struct {
	s     *session
	cache []resolved
	buf   []profile.LocationID
}

// resolved is one remembered answer. It holds for one state of one address
// space; the zero state is none.
type resolved struct {
	addr  uint64
	state uint32
	id    profile.LocationID
}

func (r *resolver) init(s *session) {
	r.s = s
	r.cache = make([]resolved, 1<<resolveCacheBits)
	clear(r.cache) // written before it is read, see internTable
}

// view is an address space as it was at one moment.
type view struct {
	regions, before []region
	state           uint32
}

// find returns the region that holds addr, nil when none does.
func (v *view) find(addr uint64) *region {
	if r := find(v.regions, addr); r != nil {
		return r
	}
	return find(v.before, addr)
}

func (p *process) view() view {
	return view{p.space.regions, p.before, p.space.state}
}

// chain resolves a recorded call chain, leaf first. user is the number of
// frames in front of the first user one. The result is valid until the next
// call.
func (r *resolver) chain(smp *sample, mode uint16, th *thread) (ids []profile.LocationID, user int) {
	ids = r.buf[:0]
	user = -1
	exact := true // the first address of a context is an instruction, the others are return addresses
	v, fallback := r.spaceOf(mode, th)
	for b := smp.chain; len(b) >= 8; b = b[8:] {
		ip := binary.LittleEndian.Uint64(b)
		if ip >= contextMax {
			if ip == contextUserDeferred && len(b) >= 16 {
				b = b[8:] // a cookie follows
			}
			mode = markedMode(ip, mode)
			v, fallback = r.spaceOf(mode, th)
			exact = true
			continue
		}
		if ip == 0 {
			continue // the outermost frame has no caller
		}
		if !exact {
			ip--
		}
		exact = false
		if mode == miscUser && user < 0 {
			user = len(ids)
		}
		ids = append(ids, r.find(&v, ip, fallback))
	}
	if user < 0 {
		user = len(ids)
	}
	r.buf = ids
	return ids, user
}

func markedMode(marker uint64, mode uint16) uint16 {
	switch marker {
	case contextHypervisor:
		return miscHypervisor
	case contextKernel:
		return miscKernel
	case contextUser, contextUserDeferred:
		return miscUser
	case contextGuest, contextGuestUser:
		return miscGuestUser
	case contextGuestKernel:
		return miscGuestKernel
	}
	return mode
}

// address resolves an address that ran in a mode.
func (r *resolver) address(ip uint64, mode uint16, th *thread) profile.LocationID {
	v, fallback := r.spaceOf(mode, th)
	return r.find(&v, ip, fallback)
}

// spaceOf is the address space that a mode runs in, and the binary that what is
// in no region of it belongs to, "" for none.
func (r *resolver) spaceOf(mode uint16, th *thread) (v view, fallback string) {
	switch mode {
	case miscKernel:
		return view{regions: r.s.kernel.regions, state: r.s.kernel.state}, kernelName
	case miscHypervisor:
		return view{}, "[hypervisor]"
	case miscGuestKernel:
		return view{}, "[guest.kernel]"
	case miscGuestUser:
		return view{}, "[guest.user]"
	}
	if th == nil {
		return view{}, ""
	}
	return th.proc.view(), ""
}

// kernelHalf is where the kernel's half of the addresses begins. Its own call chains hold
// smaller numbers where a frame pointer led astray. Taken for the kernel, they would move
// its beginning, by which the kernel of a recording without build IDs is recognised.
const kernelHalf = 1 << 63

// find looks an address up. Where no region holds it, it belongs to the binary
// called fallback, or to none.
func (r *resolver) find(v *view, ip uint64, fallback string) profile.LocationID {
	if v.state == 0 || v.regions == nil && fallback != "" {
		return r.outside(ip, fallback)
	}
	c := &r.cache[(ip^uint64(v.state)<<32)*hashFactor>>(64-resolveCacheBits)]
	if c.addr == ip && c.state == v.state {
		return c.id
	}
	*c = resolved{addr: ip, state: v.state}
	if reg := v.find(ip); reg != nil {
		reg.hit()
		c.id = r.s.out.frame(reg.bin, reg.address(ip))
	} else if fallback == kernelName && ip < kernelHalf {
		c.id = r.outside(ip, "")
	} else {
		c.id = r.outside(ip, fallback)
	}
	return c.id
}

func (r *resolver) outside(ip uint64, name string) profile.LocationID {
	if name == "" {
		return r.s.out.frame(r.s.bins.list[unknownImage], ip)
	}
	bin := r.s.bins.kernel(name, "")
	bin.lo = min(bin.lo, ip)
	bin.hi = max(bin.hi, ip+1)
	return r.s.out.frame(bin, ip)
}
