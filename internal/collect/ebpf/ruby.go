package ebpf

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/dpkg"
	"whyhot/internal/elfinfo/elffile"
)

// rubies gives the profiler's kernel part what the profiler does not find by itself
// in a stripped Ruby: where in the thread-local memory of libruby the variable lies
// that leads to the call frames. The profiler looks for its symbol in .symtab alone;
// most libraries have it among the exported ones, or in a separate debug file. It
// is used by one goroutine.
type rubies struct {
	procs  *ebpf.Map // of the profiler: support.RubyProcInfo by process; nil where it was not found
	there  func() bool
	offset map[uint32]uint64
	failed map[string]bool // libraries that do not tell
	debug  debugfile.Finder
}

// rubyContext is the variable's symbol.
const rubyContext = "ruby_current_ec"

// newRubies is for the processes in procs. There are none until there tells so, and
// looking through a map that is empty takes the kernel as long as one that is full.
func newRubies(procs *ebpf.Map, there func() bool) *rubies {
	return &rubies{procs: procs, there: there, offset: map[uint32]uint64{}, failed: map[string]bool{}}
}

// mend looks at what the profiler has told its kernel part of each Ruby process. It
// may tell it again, without what is filled in here.
func (r *rubies) mend() {
	if r.procs == nil || !r.there() {
		return
	}
	var pid uint32
	var value []byte
	known := r.offset
	r.offset = make(map[uint32]uint64, len(known)) // what ended is forgotten
	for all := r.procs.Iterate(); all.Next(&pid, &value); {
		if len(value) < int(unsafe.Sizeof(support.RubyProcInfo{})) {
			return // another version of the profiler
		}
		info := (*support.RubyProcInfo)(unsafe.Pointer(&value[0])) //nolint:gosec // as long as the structure: see above
		offset, asked := known[pid]
		if asked {
			r.offset[pid] = offset
		}
		if !lacksContext(info) {
			continue
		}
		if info.Current_ec_tls_offset = r.offsetOf(pid); info.Current_ec_tls_offset != 0 {
			_ = r.procs.Update(pid, value, ebpf.UpdateExist) // it may have ended
		}
	}
}

// lacksContext tells whether the kernel part is about to read the frames through
// thread-local memory, and does not know where in it.
func lacksContext(info *support.RubyProcInfo) bool {
	return info.Current_ec_tpbase_tls_offset == 0 && info.Tls_module_id != 0 && info.Current_ec_tls_offset == 0
}

// offsetOf finds the offset for a process, 0 where there is none to be found.
func (r *rubies) offsetOf(pid uint32) uint64 {
	if offset, known := r.offset[pid]; known {
		return offset
	}
	offset, library, err := r.find(pid)
	if errors.Is(err, os.ErrNotExist) {
		return 0 // it has ended, or is about to be another program
	}
	r.offset[pid] = offset
	if offset == 0 && library != "" {
		r.failed[library] = true
	}
	return offset
}

// rubyFile is the binary that holds the interpreter.
var rubyFile = regexp.MustCompile(`/(libruby[^/]*\.so\.[0-9.]+|ruby[0-9.]*)$`)

// find reads the symbol from the library that a process has mapped.
func (r *rubies) find(pid uint32) (offset uint64, library string, err error) {
	library, err = mappedFile(pid, rubyFile)
	if err != nil || library == "" {
		return 0, library, err
	}
	path := fmt.Sprintf("/proc/%d/root%s", pid, library)
	if offset, err = threadLocal(path, rubyContext); offset != 0 || err != nil {
		return offset, library, err
	}
	bin, err := elffile.Open(path)
	if err != nil {
		return 0, library, err
	}
	defer func() { _ = bin.Close() }() // only read from
	debug := r.debug.DebugByBuildID(bin.BuildID())
	if debug == nil {
		return 0, library, nil
	}
	defer func() { _ = debug.Close() }() // only read from
	offset, err = threadLocal(debug.Path(), rubyContext)
	return offset, library, err
}

// mappedFile is the path of the first file that a process has mapped and that
// matches, a library before a program; "" where none does.
func mappedFile(pid uint32, matches *regexp.Regexp) (string, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	return fileIn(f, matches)
}

func fileIn(maps io.Reader, matches *regexp.Regexp) (string, error) {
	found := ""
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		at := strings.IndexByte(lines.Text(), '/')
		if at < 0 {
			continue
		}
		path := strings.TrimSuffix(lines.Text()[at:], " (deleted)")
		if !matches.MatchString(path) {
			continue
		}
		if strings.Contains(path, ".so") {
			return path, nil
		}
		found = path
	}
	return found, lines.Err()
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
