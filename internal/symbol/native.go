package symbol

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// deletedMark is what the kernel puts behind the path of a file that was removed
// or replaced while it was mapped.
const deletedMark = " (deleted)"

// fromFile names the code of a binary on disk.
func (s *Symbolizer) fromFile(ctx context.Context, r *request) answer {
	file, failed := s.openMapping(r)
	if file == nil {
		return failed
	}
	defer func() { _ = file.Close() }()
	a := r.nothing(ReasonNone, "", "")
	vaddrs := make([]uint64, 0, len(r.locs))
	index := make([]int, 0, len(r.locs))
	for i, id := range r.locs {
		if v, ok := file.OffsetToVaddr(r.fileOffset(id)); ok {
			vaddrs, index = append(vaddrs, v), append(index, i)
		}
	}
	if err := file.prepare(s.opts.finder(), vaddrs, s.opts.NamesOnly); err != nil {
		return r.nothing(ReasonDamaged, firstLine(err), "")
	}
	frames, err := file.LookupAll(ctx, vaddrs)
	if err != nil {
		return r.nothing(ReasonDamaged, err.Error(), "")
	}
	a.sum.Sources, a.sum.Notes = file.Sources(), file.Notes()
	missing, lines := len(r.locs)-len(vaddrs), 0
	for i, fr := range frames {
		if len(fr) == 0 || len(fr) == 1 && fr[0].Function.Name == "" {
			missing++
			continue
		}
		a.frames[index[i]] = fromImage(fr, r.m.Path)
		if fr[0].Line > 0 {
			lines++
		}
	}
	s.judge(&a.sum, file, missing, lines)
	return a
}

// fromImage gives a method that Mono compiled ahead of time the name that it has in the
// program. Addresses of one function share their frames, so that they are copied.
func fromImage(frames []profile.Frame, path string) []profile.Frame {
	if !codename.IsImage(path) {
		return frames
	}
	frames = slices.Clone(frames)
	for i := range frames {
		fn := &frames[i].Function
		if p, ok := codename.Image(fn.Name, path); ok {
			fn.SystemName, fn.Name, fn.Kind = fn.Name, p.Name, p.Kind
		}
	}
	return frames
}

// judge says what is wanting in a file that could be read.
func (s *Symbolizer) judge(sum *MappingSummary, file *File, missing, lines int) {
	switch detail := file.Detail(); {
	case detail == DetailLines && lines > 0 || detail >= DetailNames && missing > 0:
		if missing > 0 {
			sum.Reason = ReasonOutside
			sum.Problem = "some addresses are in no function that its symbols describe"
		}
	case detail >= DetailNames && s.opts.NamesOnly: // more was not asked for
	case detail >= DetailNames:
		sum.Reason = ReasonNoLines
		sum.Problem = "no debug information: functions are named, without lines and inlined calls"
		if detail == DetailLines {
			sum.Problem = "no debug information for the code that ran: functions are named, without lines and inlined calls"
		}
		sum.packages = s.packages
	default:
		sum.Reason = ReasonStripped
		sum.Problem = "stripped: only exported functions have names"
		if file.Detail() == DetailNone {
			sum.Problem = "stripped: no symbols at all"
		}
		sum.packages = s.packages
	}
}

// openMapping opens the file that was mapped: the copy at its path if that is
// still the same, else one that somebody kept. When there is none, the answer
// says why.
func (s *Symbolizer) openMapping(r *request) (*File, answer) {
	path, deleted := strings.CutSuffix(r.m.Path, deletedMark)
	find := s.opts.finder()
	id := gnuBuildID(r.m.BuildID)
	var failures []error
	i := -1
	for place := range s.places(path, r) {
		i++
		bin, err := elffile.Open(place)
		if err == nil {
			err = s.sameFile(bin, r, id, deleted)
			if err == nil {
				return &File{bin: bin, names: s.names}, answer{}
			}
			_ = bin.Close()
		}
		// What matters of the further places is only a file that was there.
		if i == 0 || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			failures = append(failures, err)
		}
	}
	if bin := find.BinaryByBuildID(id); bin != nil {
		return &File{bin: bin, names: s.names}, answer{}
	}
	if debug := find.DebugByBuildID(id); debug != nil {
		return &File{debug: debug, names: s.names}, answer{}
	}
	return nil, s.explain(r, path, id, errors.Join(failures...))
}

// places are where the file of a mapping may be: its path, the same as the
// processes see it from their containers, and below the user's directories; for a bare
// name that a build ID vouches for, the directories where programs and libraries are.
func (s *Symbolizer) places(path string, r *request) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(inRoot(s.opts.Root, path)) {
			return
		}
		var out []string
		if s.opts.Root == "" {
			pids := r.processes()
			for _, pid := range pids[:min(len(pids), maxPIDs)] {
				out = append(out, fmt.Sprintf("/proc/%d/root%s", pid, path))
			}
		}
		for _, dir := range s.opts.DebugDirs {
			out = append(out, filepath.Join(dir, path), filepath.Join(dir, filepath.Base(path)))
		}
		if !strings.Contains(path, "/") && gnuBuildID(r.m.BuildID) != "" {
			out = append(out, s.installed(path)...)
		}
		for _, place := range out {
			if !yield(place) {
				return
			}
		}
	}
}

// standardDirs are the directories of the file system hierarchy, of Debian's
// multiarch and of lib64 distributions that hold programs and libraries.
var standardDirs = []string{
	"/usr/lib/*-linux-*", "/usr/lib64", "/usr/lib", "/lib/*-linux-*", "/lib64", "/lib", "/usr/local/lib",
	"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin",
}

// installed are the files of that name in them. The OpenTelemetry profiler tells names
// without directories.
func (s *Symbolizer) installed(name string) []string {
	var out []string
	for _, dir := range standardDirs {
		found, err := filepath.Glob(inRoot(s.opts.Root, filepath.Join(dir, escapeGlob(name))))
		if err == nil { // the pattern is ours
			out = append(out, found...)
		}
	}
	return out
}

// escapeGlob makes a name match itself alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// maxPIDs bounds through how many processes' eyes a path is looked at.
const maxPIDs = 8

var (
	errChanged = errors.New("changed since the profile was recorded")
	errDeleted = errors.New("was replaced while it ran, and the profile has no build ID to find the old one by")
)

// sameFile tells whether a file is the one that was mapped: by build ID, or, when
// the profile has none, by its age.
func (s *Symbolizer) sameFile(bin *elffile.File, r *request, id string, deleted bool) error {
	if id != "" {
		got := bin.BuildID()
		if sameBuildID(got, id) {
			return nil
		}
		if got == "" {
			got = "none"
		}
		return fmt.Errorf("%w: build ID is %s, in the profile %s", errChanged, got, id)
	}
	if deleted {
		return errDeleted
	}
	meta := &r.p.Meta
	if meta.Start.IsZero() {
		return nil
	}
	st, err := os.Stat(bin.Path())
	if err != nil {
		return err
	}
	if end := meta.Start.Add(meta.Duration + time.Second); st.ModTime().After(end) {
		return fmt.Errorf("%w: modified on %s", errChanged, st.ModTime().Format(time.DateTime))
	}
	return nil
}

// explain says why no file could be used.
func (s *Symbolizer) explain(r *request, path, id string, err error) answer {
	again := "record again, or give a directory with the old file with --debug-dir"
	switch {
	case errors.Is(err, errChanged):
		return r.nothing(ReasonChanged, "binary "+matching(err, errChanged), again)
	case errors.Is(err, errDeleted):
		return r.nothing(ReasonChanged, "binary "+errDeleted.Error(), again)
	case errors.Is(err, elffile.ErrNotELF):
		return r.nothing(ReasonOutside, "not an ELF file: code in it cannot be named", "")
	case errors.Is(err, fs.ErrPermission):
		return r.nothing(ReasonMissing, "no permission to read "+path, "run as its owner or as root")
	case errors.Is(err, fs.ErrNotExist):
		help := "symbolise on the machine that was recorded, or give a directory with the file with --debug-dir"
		if id != "" {
			help += " (build ID " + id + ")"
		}
		return r.nothing(ReasonMissing, "file not found: "+path, help)
	default:
		return r.nothing(ReasonDamaged, firstLine(err), "")
	}
}

// matching is the line of a joined error that tells about target.
func matching(err, target error) string {
	for line := range strings.Lines(err.Error()) {
		if strings.Contains(line, target.Error()) {
			return strings.TrimSpace(line)
		}
	}
	return target.Error()
}

// gnuBuildID is a build ID of the profile in the form that ELF files have, ""
// when it is of another kind (Go's own, a hash of the file).
func gnuBuildID(id string) string {
	id = strings.ToLower(id)
	if len(id)%2 != 0 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// sameBuildID compares build IDs; perf pads short ones with zeros to 20 bytes.
func sameBuildID(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a != "" && strings.HasPrefix(b, a) && strings.Trim(b[len(a):], "0") == ""
}
