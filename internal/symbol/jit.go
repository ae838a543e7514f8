package symbol

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/symbol/perfmap"
)

// maxPerfMap bounds what is read of one map.
const maxPerfMap = 1 << 30

// fromPerfMap names generated code. The mapping says whose it is, or else the
// samples do; code at one address in several processes is named only when their
// maps agree.
func (s *Symbolizer) fromPerfMap(r *request) answer {
	var pids []int64
	if m := perfMapName.FindStringSubmatch(r.m.Path); m != nil {
		pid, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return r.nothing(ReasonUnmapped, err.Error(), "")
		}
		pids = []int64{pid}
	} else {
		pids = r.processes()
	}
	if len(pids) == 0 {
		return r.nothing(ReasonUnmapped, "generated code, and the profile does not say of which process", "")
	}
	var tables []*perfmap.Table
	a := r.nothing(ReasonOutside, "some addresses are not in the map of generated code (it may have been written before or after)", "")
	var errs []error
	for _, pid := range pids {
		table, path, err := s.perfMap(pid, r.p.Meta.Start)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tables = append(tables, table)
		a.sum.Sources = append(a.sum.Sources, path)
	}
	if len(tables) == 0 {
		err := errors.Join(errs...)
		if errors.Is(err, fs.ErrNotExist) {
			return r.nothing(ReasonNoPerfMap, "code generated at run time, and no map of it: "+firstLine(err), jitHelp)
		}
		return r.nothing(ReasonDamaged, firstLine(err), jitHelp)
	}
	missing := 0
	for i, id := range r.locs {
		name, ok := agreed(tables, r.p.Location(id).Address)
		if !ok {
			missing++
			continue
		}
		a.frames[i] = []profile.Frame{jitFrame(name)}
	}
	if missing == 0 {
		a.sum.Reason, a.sum.Problem = ReasonNone, ""
	}
	return a
}

const jitHelp = "let the runtime write a perf map: node --perf-basic-prof, python -X perf, " +
	"DOTNET_PerfMapEnabled=1, java -XX:+DumpPerfMapAtExit, mono --jitmap, erl +JPperf map"

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// agreed returns the name at addr if all maps that know the address say the same.
func agreed(tables []*perfmap.Table, addr uint64) (string, bool) {
	name := ""
	for _, t := range tables {
		sym, ok := t.Find(addr)
		switch {
		case !ok:
		case name == "" || name == sym.Name:
			name = sym.Name
		default:
			return "", false
		}
	}
	return name, name != ""
}

// jitFrame reads what a runtime wrote for a piece of code.
func jitFrame(name string) profile.Frame {
	parsed, ok := codename.JIT(name)
	if !ok {
		return profile.Frame{Function: profile.Function{Name: name, Kind: profile.KindJIT}}
	}
	fn := profile.Function{Name: parsed.Name, File: parsed.File, StartLine: parsed.Line, Kind: parsed.Kind}
	if parsed.Name != name {
		fn.SystemName = name
	}
	return profile.Frame{Function: fn}
}

// perfMap reads the map of a process: from the directories of the user, from
// /tmp, and from the /tmp that the process itself sees, under the number that it
// knows itself by. A map in /tmp that is older than what was recorded is of an earlier
// process with that number.
func (s *Symbolizer) perfMap(pid int64, start time.Time) (*perfmap.Table, string, error) {
	name := fmt.Sprintf("perf-%d.map", pid)
	var places []string
	for _, dir := range s.opts.DebugDirs {
		places = append(places, filepath.Join(dir, name))
	}
	places = append(places, inRoot(s.opts.Root, "/tmp/"+name))
	if s.opts.Root == "" {
		places = append(places, fmt.Sprintf("/proc/%d/root/tmp/perf-%d.map", pid, innerPID(pid)))
	}
	var first error
	for i, path := range places {
		if i >= len(s.opts.DebugDirs) && isOlder(path, pid, start) {
			err := fmt.Errorf("%s: %w", path, errOlder)
			if first == nil || errors.Is(first, fs.ErrNotExist) {
				first = err
			}
			continue
		}
		table, err := readPerfMap(path, pid)
		if err == nil {
			return table, path, nil
		}
		if first == nil || !errors.Is(err, fs.ErrNotExist) {
			first = err
		}
	}
	return nil, "", first
}

var errOlder = errors.New("it is older than the recording, so another process has written it")

// isOlder tells whether a map was written before the process that was recorded. Of one
// that is gone, all that is known is that it ran in the recording: what wrote its map
// before that, and nothing since, was most likely another one.
func isOlder(path string, pid int64, start time.Time) bool {
	st, err := os.Stat(path)
	if err != nil || start.IsZero() || !st.ModTime().Before(start) {
		return false
	}
	_, err = os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err != nil
}

// innerPID is the number that a process has in its own PID name space.
func innerPID(pid int64) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return pid
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(rest)
			if n := len(fields); n > 0 {
				if inner, err := strconv.ParseInt(fields[n-1], 10, 64); err == nil {
					return inner
				}
			}
		}
	}
	return pid
}

var errOwner = errors.New("written by another user than the process's, so it is not trusted")

func readPerfMap(path string, pid int64) (*perfmap.Table, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if !ownerTrusted(st, pid) {
		return nil, fmt.Errorf("%s: %w", path, errOwner)
	}
	table, err := perfmap.Parse(io.LimitReader(f, maxPerfMap))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, nil
}

// ownerTrusted accepts maps of root, of this user and of the user of the process:
// anybody may write to /tmp.
func ownerTrusted(st os.FileInfo, pid int64) bool {
	owner, ok := st.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 || int(owner.Uid) == os.Geteuid() {
		return true
	}
	proc, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return os.Geteuid() == 0 // the process is gone; root reads any user's profile
	}
	p, ok := proc.Sys().(*syscall.Stat_t)
	return ok && p.Uid == owner.Uid
}
