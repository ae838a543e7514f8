package feedback

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
)

// Format is a reader of profiles.
type Format string

// The formats.
const (
	GoPGO      Format = "go-pgo"
	LLVMSample Format = "llvm-sample"
	BOLT       Format = "bolt"
)

// Formats lists the formats.
func Formats() []string { return []string{string(GoPGO), string(LLVMSample), string(BOLT)} }

// Request is what Write is asked.
type Request struct {
	Profile *profile.Profile
	Format  Format
	// Binary chooses the program among those of the profile, by its path or the end of
	// it; "" for the one that most samples are of.
	Binary string
	// File is where the binary is on this machine, "" for where it was recorded.
	File string
	// DebugDirs are searched for its debug file.
	DebugDirs []string
}

// Summary says what was written.
type Summary struct {
	Binary    string  // as the profile names it
	Samples   int64   // of the profile
	Used      int64   // of them, in what was written
	Functions int     // that have samples of their own
	Share     float64 // of the CPU, in what was written
	Notes     []string
}

// ErrNothing is wrapped by the error of a profile that has nothing for a format.
var ErrNothing = errors.New("nothing to export")

// few is the number of samples below which a profile says little about a program.
const few = 1000

// Write writes a profile in a format.
func Write(w io.Writer, r Request) (Summary, error) {
	path, mappings, err := r.choose()
	if err != nil {
		return Summary{}, err
	}
	out := Summary{Binary: path, Samples: r.Profile.Count()}
	switch r.Format {
	case GoPGO:
		err = writeGo(w, r.Profile, mappings, &out)
	case LLVMSample:
		err = r.withFile(path, mappings, func(bin, debug *elffile.File) error {
			return writeLLVM(w, addresses(r.Profile, bin, mappings), bin, debug, &out)
		})
	case BOLT:
		err = r.withFile(path, mappings, func(bin, _ *elffile.File) error {
			return writeBOLT(w, addresses(r.Profile, bin, mappings), bin.Path(), &out)
		})
	default:
		err = fmt.Errorf("unknown format %q: must be one of %s", r.Format, strings.Join(Formats(), ", "))
	}
	if err != nil {
		return out, err
	}
	if out.Used == 0 {
		return out, fmt.Errorf("%w: no sample of %s has what %s needs", ErrNothing, path, r.Format)
	}
	if out.Samples > 0 {
		out.Share = float64(out.Used) / float64(out.Samples)
	}
	if out.Used < few {
		out.Notes = append(out.Notes, fmt.Sprintf("only %d samples: record longer, or join more of them (--last 7d), before you build with it", out.Used))
	}
	return out, nil
}

// choose gives the path of the binary and its mappings: the one that is named, else that
// in which most samples ran.
func (r *Request) choose() (path string, mappings map[profile.MappingID]bool, err error) {
	p := r.Profile
	weight := map[string]int64{}
	for _, s := range p.Samples() {
		seen := map[string]bool{}
		stack := p.Stack(s.Stack)
		if r.Format != GoPGO { // it counts who calls, the others what runs
			stack = stack[:min(1, len(stack))]
		}
		for _, loc := range stack {
			m := p.Mapping(p.Location(loc).Mapping).Path
			if m != "" && !strings.HasPrefix(m, "[") && !seen[m] && r.suits(loc) {
				seen[m] = true
				weight[m] += s.Count
			}
		}
	}
	paths := slices.SortedFunc(maps.Keys(weight), func(a, b string) int {
		return cmp.Or(-cmp.Compare(weight[a], weight[b]), cmp.Compare(isLibrary(a), isLibrary(b)), cmp.Compare(a, b))
	})
	if r.Binary != "" {
		paths = slices.DeleteFunc(paths, func(path string) bool {
			return path != r.Binary && !strings.HasSuffix(path, "/"+r.Binary)
		})
		if len(paths) == 0 {
			return "", nil, fmt.Errorf("%w: the profile has no samples of a binary %q", ErrNothing, r.Binary)
		}
	}
	if len(paths) == 0 {
		if r.Format == GoPGO {
			return "", nil, fmt.Errorf("%w: the profile has no functions of Go", ErrNothing)
		}
		return "", nil, fmt.Errorf("%w: the profile has no addresses in binaries", ErrNothing)
	}
	path = paths[0]
	mappings = map[profile.MappingID]bool{}
	for i := range p.NumMappings() {
		if id := profile.MappingID(i); p.Mapping(id).Path == path {
			mappings[id] = true
		}
	}
	return path, mappings, nil
}

// suits says whether a location can be what the format is about.
func (r *Request) suits(loc profile.LocationID) bool {
	if r.Format != GoPGO {
		return r.Profile.Location(loc).Address != 0
	}
	for _, l := range r.Profile.Lines(loc) {
		if isGo(r.Profile.Function(l.Function)) {
			return true
		}
	}
	return false
}

func isLibrary(path string) int {
	if strings.Contains(filepath.Base(path), ".so") {
		return 1
	}
	return 0
}

// withFile opens the binary and its debug information.
func (r *Request) withFile(path string, mappings map[profile.MappingID]bool, use func(bin, debug *elffile.File) error) (err error) {
	bin, err := elffile.Open(cmp.Or(r.File, path))
	if err != nil {
		return fmt.Errorf("the binary that was profiled is needed (--file names another place): %w", err)
	}
	defer func() { err = errors.Join(err, bin.Close()) }()
	for id := range mappings {
		if want := r.Profile.Mapping(id).BuildID; want != "" && bin.BuildID() != "" && want != bin.BuildID() {
			return fmt.Errorf("%s is another build than the one that was profiled (build ID %s, not %s): give the one that was with --file", bin.Path(), bin.BuildID(), want)
		}
	}
	debug := bin
	if !bin.HasData(".debug_info") {
		found, err := debugfile.Finder{Dirs: r.DebugDirs}.Debug(bin)
		if err == nil {
			debug = found
			defer found.Close() //nolint:errcheck // only read from
		}
	}
	return elffile.Guard(bin.Path(), func() error { return use(bin, debug) })
}

// addresses counts the samples in which an instruction of the binary was running, by its
// address in the file's own numbering.
func addresses(p *profile.Profile, bin *elffile.File, mappings map[profile.MappingID]bool) map[uint64]int64 {
	out := map[uint64]int64{}
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) == 0 {
			continue
		}
		loc := p.Location(stack[0])
		if !mappings[loc.Mapping] || loc.Address == 0 {
			continue
		}
		m := p.Mapping(loc.Mapping)
		if at, ok := bin.OffsetToVaddr(loc.Address - m.Start + m.Offset); ok {
			out[at] += s.Count
		}
	}
	return out
}
