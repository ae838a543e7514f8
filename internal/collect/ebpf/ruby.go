package ebpf

import (
	"bufio"
	"debug/elf"
	endian "encoding/binary" // binary is a type here
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/libc"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/dpkg"
	"whyhot/internal/elfinfo/elffile"
)

// rubies gives the profiler's kernel part what the profiler does not find by itself:
// where in the thread-local memory of libruby the variable is that leads to the call
// frames. The profiler looks for its symbol in .symtab alone; most libraries have it
// among the exported ones, or in a separate debug file. And it reads the number of the
// library's thread-local module as soon as the library is mapped, which may be before
// the loader has written it: the kernel part then follows another pointer. It is used by one goroutine.
type rubies struct {
	procs  *ebpf.Map // of the profiler: support.RubyProcInfo by process; nil where it was not found
	there  func() bool
	places map[uint32]rubyPlace
	failed map[string]bool // libraries that do not tell
	debug  debugfile.Finder
}

// rubyContext is the variable's symbol.
const rubyContext = "ruby_current_ec"

// rubyPlace is where a process keeps the variable. The zero value is nowhere.
type rubyPlace struct {
	offset uint64          // in the library's thread-local block
	module uint64          // address of the word that holds the module's number; 0 where the library has none
	vector support.DTVInfo // how the C library finds a module's block

	collector collectorPlace
}

// newRubies is for the processes in procs. There are none until there tells so, and
// looking through a map that is empty takes the kernel as long as one that is full.
func newRubies(procs *ebpf.Map, there func() bool) *rubies {
	return &rubies{procs: procs, there: there, places: map[uint32]rubyPlace{}, failed: map[string]bool{}}
}

// mend looks at what the profiler has told its kernel part of each Ruby process. It
// may tell it again, without what is filled in here.
func (r *rubies) mend() {
	if r.procs == nil || !r.there() {
		return
	}
	var pid uint32
	var value []byte
	known := r.places
	r.places = make(map[uint32]rubyPlace, len(known)) // what ended is forgotten
	for all := r.procs.Iterate(); all.Next(&pid, &value); {
		if len(value) < int(unsafe.Sizeof(support.RubyProcInfo{})) {
			return // another version of the profiler
		}
		info := (*support.RubyProcInfo)(unsafe.Pointer(&value[0])) //nolint:gosec // as long as the structure: see above
		place, asked := known[pid]
		if asked {
			r.places[pid] = place
		}
		if !asked {
			if place, asked = r.placeIn(pid); !asked {
				continue
			}
		}
		changed := place.collector.complete(info)
		if lacksContext(info) {
			if place.complete(info, func(at uint64) uint64 { return wordOf(pid, at) }) {
				changed = true
			} else {
				delete(r.places, pid) // found again at the next look: the process may have begun another program
			}
		}
		if changed {
			_ = r.procs.Update(pid, value, ebpf.UpdateExist) // it may have ended
		}
	}
}

// firstOfThreads is Ruby 3.0, which keeps the variable in thread-local memory.
const firstOfThreads = 0x30000

// lacksContext tells whether the frames are to be read through thread-local memory, and
// the kernel part does not know where in it. A process that was silenced lacks nothing.
func lacksContext(info *support.RubyProcInfo) bool {
	return info.Version >= firstOfThreads && info.Current_ec_tpbase_tls_offset == 0 && info.Current_ctx_ptr != 0 &&
		(info.Tls_module_id == 0 || info.Current_ec_tls_offset == 0 || info.Dtv_info.Multiplier == 0)
}

// complete fills in what the kernel part lacks, and tells whether it changed something.
// Where the place is unknown although the library keeps the variable in thread-local
// memory, no frames are better than those of a wrong pointer.
func (p *rubyPlace) complete(info *support.RubyProcInfo, word func(at uint64) uint64) bool {
	switch {
	case p.module == 0:
		return false // the profiler's other way is all there is
	case p.offset == 0 || p.vector.Multiplier == 0:
		info.Tls_module_id, info.Current_ctx_ptr = 0, 0
		return true
	}
	number := word(p.module)
	if number == 0 {
		return false // the loader has not come to it
	}
	info.Tls_module_id, info.Current_ec_tls_offset, info.Dtv_info = uint32(number), p.offset, p.vector
	return true
}

// wordOf reads from a process's memory; 0 where that cannot be.
func wordOf(pid uint32, at uint64) uint64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // only read from
	var word [8]byte
	if _, err := f.ReadAt(word[:], int64(at)); err != nil {
		return 0
	}
	return endian.NativeEndian.Uint64(word[:])
}

// placeIn finds the place for a process. It is false where the process has ended.
func (r *rubies) placeIn(pid uint32) (rubyPlace, bool) {
	place, library, err := r.find(pid)
	if errors.Is(err, os.ErrNotExist) {
		return rubyPlace{}, false
	}
	r.places[pid] = place
	if place.module != 0 && place.offset == 0 {
		r.failed[library] = true
	}
	return place, true
}

// rubyFile is the binary that holds the interpreter.
var rubyFile = regexp.MustCompile(`/(libruby[^/]*\.so\.[0-9.]+|ruby[0-9.]*)$`)

// find reads the symbol from the library that a process has mapped.
func (r *rubies) find(pid uint32) (place rubyPlace, library string, err error) {
	all, err := mappedFiles(pid)
	if err != nil {
		return place, "", err
	}
	ruby := choose(all, rubyFile)
	if ruby.path == "" {
		return place, "", nil
	}
	path := fmt.Sprintf("/proc/%d/root%s", pid, ruby.path)
	if place.collector, err = collectorIn(path); err != nil {
		return place, ruby.path, err
	}
	word, err := moduleWord(path)
	if err != nil || word == 0 {
		return place, ruby.path, err
	}
	place.module, place.vector = ruby.start+word, vectorOf(pid, all)
	if place.offset, err = threadLocal(path, rubyContext); place.offset != 0 || err != nil {
		return place, ruby.path, err
	}
	bin, err := elffile.Open(path)
	if err != nil {
		return place, ruby.path, err
	}
	defer func() { _ = bin.Close() }() // only read from
	debug := r.debug.DebugByBuildID(bin.BuildID())
	if debug == nil {
		return place, ruby.path, nil
	}
	defer func() { _ = debug.Close() }() // only read from
	place.offset, err = threadLocal(debug.Path(), rubyContext)
	return place, ruby.path, err
}

// mappedFile is a file that a process has mapped from its beginning.
type mappedFile struct {
	path  string
	start uint64
}

// mappedFiles are all of them.
func mappedFiles(pid uint32) ([]mappedFile, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	return filesIn(f)
}

func filesIn(maps io.Reader) ([]mappedFile, error) {
	var found []mappedFile
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		at := strings.IndexByte(lines.Text(), '/')
		fields := strings.Fields(lines.Text())
		if at < 0 || strings.Trim(fields[2], "0") != "" {
			continue
		}
		start, _, _ := strings.Cut(fields[0], "-")
		address, err := strconv.ParseUint(start, 16, 64)
		if err != nil {
			continue
		}
		found = append(found, mappedFile{strings.TrimSuffix(lines.Text()[at:], " (deleted)"), address})
	}
	return found, lines.Err()
}

// choose takes the first file that matches, a library before a program.
func choose(all []mappedFile, matches *regexp.Regexp) (found mappedFile) {
	for _, m := range all {
		switch {
		case !matches.MatchString(m.path):
		case strings.Contains(m.path, ".so"):
			return m
		default:
			found = m
		}
	}
	return found
}

// moduleWord is the address in a library of the word into which the loader writes the
// number of the library's thread-local module; 0 where there is none.
func moduleWord(path string) (at uint64, err error) {
	err = elffile.Guard(path, func() error {
		f, err := pfelf.Open(path)
		if err != nil {
			return fmt.Errorf("opening a library: %w", err)
		}
		defer func() { _ = f.Close() }() // only read from
		return f.VisitRelocations(func(r pfelf.ElfReloc, _ string) bool {
			at = r.Off
			return false
		}, pfelf.RelDTPMOD64)
	})
	return at, err
}

// vectorOf reads from a process's C library how it finds a module's thread-local block.
func vectorOf(pid uint32, all []mappedFile) support.DTVInfo {
	var out libc.LibcInfo
	for _, m := range all {
		if out.HasDTVInfo() || !libc.IsPotentialLibcDSO(m.path) {
			continue
		}
		_ = elffile.Guard(m.path, func() error { // what cannot be read tells nothing
			f, err := pfelf.Open(fmt.Sprintf("/proc/%d/root%s", pid, m.path))
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }() // only read from
			if info, err := libc.ExtractLibcInfo(f); err == nil {
				out.Merge(*info)
			}
			return nil
		})
	}
	return out.DTVInfo
}

// threadLocal is the offset of a thread-local variable in its module's part of that
// memory; 0 where the file does not name it.
func threadLocal(path, name string) (offset uint64, err error) {
	err = elffile.Guard(path, func() error {
		f, err := elf.Open(path)
		if err != nil {
			return fmt.Errorf("opening a library: %w", err)
		}
		defer func() { _ = f.Close() }() // only read from
		for _, table := range []func() ([]elf.Symbol, error){f.DynamicSymbols, f.Symbols} {
			symbols, _ := table() // there may be none
			for _, s := range symbols {
				if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_TLS {
					offset = s.Value
					return nil
				}
			}
		}
		return nil
	})
	return offset, err
}

// warnings say where Ruby's functions are missing, and what would bring them. hit
// tells whether samples fall into a file.
func (r *rubies) warnings(hit func(path string) bool) []string {
	var out []string
	for _, library := range slices.Sorted(maps.Keys(r.failed)) {
		if hit(library) {
			out = append(out, fmt.Sprintf("Ruby functions are not seen: %s is stripped, and the address of %s is unknown; %s",
				library, rubyContext, symbolsOf(library)))
		}
	}
	return out
}

// symbolsOf says where the symbols of a library are to be had.
func symbolsOf(library string) string {
	if owner, ok := dpkg.Open("").Owner(library); ok {
		return "install " + owner.DebugPackage()
	}
	return "install its debug symbols"
}
