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

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/elfsym"
)

const (
	mostRounds = 12
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
	rounds   chan struct{}       // closed when the rounds under way have ended; nil for none

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
	if r.rounds != nil {
		select {
		case <-r.rounds:
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
	r.rounds = done
	go func() {
		defer close(done)
		for _, b := range hottest {
			if err := r.follow(b, least); err != nil && isThere(b.pid) {
				r.mu.Lock()
				r.problem = cmp.Or(r.problem, err)
				r.mu.Unlock()
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

// follow follows some regions of a binary. Nothing to follow is no error.
func (r *Recorder) follow(b sampled, least int) error {
	file, err := os.Open(fmt.Sprintf("/proc/%d/root%s", b.pid, b.path))
	if err != nil {
		return nil //nolint:nilerr // the process has ended, or the file is no more
	}
	defer func() { _ = file.Close() }() // only read from
	own := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	for _, c := range r.choose(own, b, least) {
		if err := r.round(own, b, c); err != nil {
			return err
		}
	}
	return nil
}

// round follows one region.
func (r *Recorder) round(file string, b sampled, c chosen) error {
	r.mu.Lock()
	r.windows = append(r.windows, window{pid: b.pid, from: time.Now().UnixNano()})
	n := len(r.windows) - 1
	r.mu.Unlock()
	seen, err := follow(file, b.pid, c.sites, c.offsets)
	tallies := tallied(seen.sequence, c.sites)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.windows[n].from, r.windows[n].to = seen.from.UnixNano(), seen.to.UnixNano()
	if err != nil {
		return err
	}
	for i, t := range tallies {
		if t.Seen > 0 {
			r.found = append(r.found, profile.Branch{Path: b.path, Address: c.sites[i].address, Seen: t.Seen, Taken: t.Taken, Both: c.sites[i].both, Judged: t.Judged, Missed: t.Missed, Leaves: c.sites[i].leaves})
		}
	}
	return nil
}

// isThere says whether a process has not ended.
func isThere(pid uint32) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil
}

// chosen is a region with the offsets of its jumps in the file.
type chosen struct {
	region

	offsets []uint64
}

// choose gives the hottest regions of a binary that were not followed yet, and counts them as
// followed.
func (r *Recorder) choose(file string, b sampled, least int) (out []chosen) {
	err := elffile.Guard(file, func() error {
		f, err := elffile.Open(file)
		if err != nil {
			return err //nolint:wrapcheck // not told
		}
		defer func() { _ = f.Close() }() // only read from
		if f.Header.Machine != elf.EM_X86_64 {
			return nil
		}
		addresses, end := slices.Sorted(maps.Keys(b.at)), uint64(0)
		bounds := elfsym.BoundsFor(f, addresses)
		for _, address := range addresses {
			if address < end {
				continue
			}
			low, high, found := bounds.Find(address)
			if !found || high-low > longestFunction {
				continue
			}
			end = high
			for _, l := range regionsOf(instruction.Steps(f.At(low, high-low), low), b.at) {
				if offsets, found := l.offsets(f); found && l.samples >= least && !r.followed[l.key(b.path)] {
					out = append(out, chosen{l, offsets})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	slices.SortStableFunc(out, func(a, b chosen) int { return cmp.Compare(b.samples, a.samples) })
	out = out[:min(len(out), mostAtOnce, mostRounds-len(r.followed))]
	for _, c := range out {
		r.followed[c.key(b.path)] = true
	}
	return out
}

// offsets are where the file has the region's jumps.
func (l region) offsets(f *elffile.File) (out []uint64, ok bool) {
	for _, s := range l.sites {
		offset, found := f.VaddrToOffset(s.address)
		if !found {
			return nil, false
		}
		out = append(out, offset)
	}
	return out, true
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
	if r.rounds != nil {
		<-r.rounds
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.found), r.problem
}
