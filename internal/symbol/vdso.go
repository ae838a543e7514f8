package symbol

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
)

// vdsoNames holds the vDSO: a small library that the kernel maps into every
// process and that is no file. All processes of one kernel have the same.
type vdsoNames struct {
	once sync.Once
	file *File
	size uint64
	err  error
}

var errNoVDSO = errors.New("this process has no vDSO")

func (v *vdsoNames) load(names *demangler) error {
	v.once.Do(func() {
		data, err := readVDSO()
		if err != nil {
			v.err = err
			return
		}
		bin, err := elffile.New("[vdso]", data)
		if err != nil {
			v.err = err
			return
		}
		v.size = uint64(len(data))
		v.file = &File{bin: bin, names: names}
		v.err = v.file.prepare(debugfile.Finder{}, nil, true)
	})
	return v.err
}

// readVDSO copies the vDSO of this process.
func readVDSO() ([]byte, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer func() { _ = maps.Close() }()
	for in := bufio.NewScanner(maps); in.Scan(); {
		if !strings.HasSuffix(in.Text(), "[vdso]") {
			continue
		}
		var low, high int64
		if _, err := fmt.Sscanf(in.Text(), "%x-%x", &low, &high); err != nil || low >= high {
			return nil, fmt.Errorf("/proc/self/maps: %q is no range", in.Text())
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil, err
		}
		defer func() { _ = mem.Close() }()
		return io.ReadAll(io.NewSectionReader(mem, low, high-low))
	}
	return nil, errNoVDSO
}

func (s *Symbolizer) fromVDSO(r *request) answer {
	if s.opts.Root != "" {
		return r.nothing(ReasonForeign, "the vDSO of another system cannot be read from here", "")
	}
	if err := s.vdso.load(s.names); err != nil {
		return r.nothing(ReasonMissing, err.Error(), "")
	}
	// Without a build ID the size tells kernels apart, if weakly.
	if r.m.BuildID == "" && r.m.Limit-r.m.Start != s.vdso.size ||
		r.m.BuildID != "" && !sameBuildID(r.m.BuildID, s.vdso.file.BuildID()) {
		return r.nothing(ReasonForeign, "the vDSO is of another kernel than the one that runs",
			"symbolise on the machine that was recorded")
	}
	a := r.nothing(ReasonNoLines, "the kernel ships its vDSO without debug information", "")
	shared := map[uint64][]profile.Frame{}
	for i, id := range r.locs {
		if vaddr, ok := s.vdso.file.OffsetToVaddr(r.fileOffset(id)); ok {
			a.frames[i] = withKind(s.vdso.file.fromTables(vaddr, shared), profile.KindVDSO)
		}
		if a.frames[i] == nil {
			a.sum.Reason, a.sum.Problem = ReasonOutside, "some addresses are in no exported function of the vDSO"
		}
	}
	return a
}

func withKind(frames []profile.Frame, kind profile.Kind) []profile.Frame {
	if frames == nil {
		return nil
	}
	out := make([]profile.Frame, 0, len(frames))
	for _, f := range frames {
		f.Function.Kind = kind
		out = append(out, f)
	}
	return out
}
