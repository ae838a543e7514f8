package branch

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/elfsym"
)

const (
	mostRounds = 8
	mostAtOnce = 3 // of one binary
	// A loop is followed from so many samples on, and this share of all.
	leastSamples = 25
	leastShare   = 0.04
	// firstLook is how many samples there are before it is looked for a loop first; each time
	// after that there are a quarter more.
	firstLook = 150
	// longestFunction bounds what is decoded, in bytes.
	longestFunction = 1 << 20
	mostAddresses   = 1 << 16
)

// sampled is a file with the samples in it, of all processes that run it one after the other.
type sampled struct {
	path    string
	pid     uint32 // of the last sample
	at      map[uint64]int
	samples int
}

// window is a time in which probes were in a process; to is 0 while they are.
type window struct {
	pid      uint32
	from, to int64 // ns since the epoch
}

// Recorder follows the jumps of one recording. Its methods may be called by one goroutine.
type Recorder struct {
	binaries map[string]*sampled // by path, as its processes have it
	kept     int                 // addresses in it
	samples  int                 // all that there were
	next     int                 // samples from which another round may begin
	followed map[string]bool     // loops; the round under way has it
	round    chan struct{}       // closed when the rounds under way have ended; nil for none

	mu      sync.Mutex // of what follows
	windows []window
	found   []profile.Branch
	problem error
}

// New is a recorder that follows nothing yet. It fails where jumps cannot be followed.
func New() (*Recorder, error) {
	if runtime.GOARCH != "amd64" {
		return nil, errors.New("not on " + runtime.GOARCH)
	}
	return &Recorder{binaries: map[string]*sampled{}, next: firstLook, followed: map[string]bool{}}, nil
}

// Sample tells of a sample whose innermost frame is machine code of a binary.
func (r *Recorder) Sample(pid uint32, path string, address uint64) {
	if r == nil {
		return
	}
	r.samples++
	b := r.binaries[path]
	if b == nil {
		b = &sampled{path: path, at: map[uint64]int{}}
		r.binaries[path] = b
	}
	b.pid = pid
	b.samples++
	if _, known := b.at[address]; !known {
		if r.kept == mostAddresses {
			return
		}
		r.kept++
	}
	b.at[address]++
}

// Look begins a few rounds where they are due. It does not wait for them.
func (r *Recorder) Look() {
	if r == nil || r.samples < r.next {
		return
	}
	if r.round != nil {
		select {
		case <-r.round:
		default:
			return
		}
	}
	if len(r.followed) == mostRounds {
		return
	}
	r.next = r.samples + r.samples/4 + 1 //nolint:mnd // see firstLook
	weight := 0
	for _, b := range r.binaries {
		weight += b.samples
	}
	least := max(leastSamples, int(leastShare*float64(weight)))
	hottest := r.hottest(least)
	r.fade()
	if len(hottest) == 0 {
		return
	}
	done := make(chan struct{})
	r.round = done
	go func() {
		defer close(done)
		for _, b := range hottest {
			for range mostAtOnce {
				followed, err := r.follow(b.pid, b.path, b.at, least)
				if err != nil && isThere(b.pid) {
					r.mu.Lock()
					r.problem = cmp.Or(r.problem, err)
					r.mu.Unlock()
				}
				if !followed || err != nil || len(r.followed) == mostRounds {
					break
				}
			}
		}
	}()
}

// fade halves what was sampled: what the program did earlier counts less than what it does.
func (r *Recorder) fade() {
	const half = 2
	for path, b := range r.binaries {
		b.samples = 0
		for address, n := range b.at {
			if b.at[address] = n / half; n < half {
				delete(b.at, address)
				r.kept--
			}
			b.samples += n / half
		}
		if b.samples == 0 {
			delete(r.binaries, path)
		}
	}
}

// hottest are copies of the binaries with so many samples whose last process runs.
func (r *Recorder) hottest(least int) []sampled {
	var out []sampled
	for _, b := range r.binaries {
		if b.samples >= least && isThere(b.pid) {
			one := *b
			one.at = maps.Clone(b.at)
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b sampled) int { return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.path, b.path)) })
	return out
}

// follow is a round, in one binary. Nothing to follow is no error.
func (r *Recorder) follow(pid uint32, path string, at map[uint64]int, least int) (done bool, err error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/root%s", pid, path))
	if err != nil {
		return false, nil //nolint:nilerr // the process has ended, or the file is no more
	}
	defer func() { _ = file.Close() }() // only read from
	own := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	l, offsets, ok := r.choose(own, path, at, least)
	if !ok {
		return false, nil
	}
	r.mu.Lock()
	r.windows = append(r.windows, window{pid: pid, from: time.Now().UnixNano()})
	n := len(r.windows) - 1
	r.mu.Unlock()
	round, err := follow(own, pid, l.sites, offsets)
	r.mu.Lock()
	r.windows[n].from, r.windows[n].to = round.from.UnixNano(), round.to.UnixNano()
	r.mu.Unlock()
	if err != nil {
		return true, err
	}
	tallies := foresee(round.sequence, len(l.sites))
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range tallies {
		if t.Seen > 0 {
			r.found = append(r.found, profile.Branch{Path: path, Address: l.sites[i].address, Seen: t.Seen, Taken: t.Taken, Both: l.sites[i].both, Judged: t.Judged, Missed: t.Missed})
		}
	}
	return true, nil
}

// isThere says whether a process has not ended.
func isThere(pid uint32) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil
}

// choose gives the hottest region of a binary that was not followed yet, with the offsets of its
// jumps in the file.
func (r *Recorder) choose(file, name string, at map[uint64]int, least int) (best region, offsets []uint64, ok bool) {
	err := elffile.Guard(file, func() error {
		f, err := elffile.Open(file)
		if err != nil {
			return err //nolint:wrapcheck // not told
		}
		defer func() { _ = f.Close() }() // only read from
		if f.Header.Machine != elf.EM_X86_64 {
			return nil
		}
		addresses, end := slices.Sorted(maps.Keys(at)), uint64(0)
		bounds := boundsIn(f, addresses)
		for _, address := range addresses {
			if address < end {
				continue
			}
			low, high, found := bounds(address)
			if !found || high-low > longestFunction {
				continue
			}
			end = high
			for _, l := range regionsOf(instruction.Steps(f.At(low, high-low), low), at) {
				if l.samples >= least && l.samples > best.samples && !r.followed[l.key(name)] {
					best = l
				}
			}
		}
		for _, s := range best.sites {
			offset, found := f.VaddrToOffset(s.address)
			if !found {
				return nil
			}
			offsets = append(offsets, offset)
		}
		return nil
	})
	if err != nil || len(offsets) == 0 {
		return region{}, nil, false
	}
	r.followed[best.key(name)] = true
	return best, offsets, true
}

// boundsIn tells of a file the function that an address is in: by call frame information,
// which stripped files have as well, or by symbols, as Go's programs have.
func boundsIn(f *elffile.File, addresses []uint64) func(address uint64) (low, high uint64, ok bool) {
	frames := cfi.Exception(f)
	symbols, err := elfsym.ReadFor(f, addresses)
	if err != nil {
		symbols = &elfsym.Table{}
	}
	return func(address uint64) (low, high uint64, ok bool) {
		if frames != nil {
			if function, found := frames.Find(address); found {
				return function.Low, function.High, true
			}
		}
		s, found := symbols.Find(address)
		return s.Low, s.High, found && s.High > s.Low
	}
}

func (l region) key(path string) string { return fmt.Sprintf("%s %x", path, l.low) }

// Disturbs says whether probes were in a process at a time, in ns since the epoch: what was
// sampled then is about them.
func (r *Recorder) Disturbs(pid uint32, at int64) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.windows {
		if w.pid == pid && at >= w.from && (w.to == 0 || at < w.to) {
			return true
		}
	}
	return false
}

// Branches waits for the end of the round under way and gives what was found. err says why a
// round failed.
func (r *Recorder) Branches() (found []profile.Branch, err error) {
	if r == nil {
		return nil, nil
	}
	if r.round != nil {
		<-r.round
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.found), r.problem
}
