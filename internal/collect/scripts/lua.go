package scripts

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/collect/scripts/luastack"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/host/environ"
	"whyhot/internal/profile"
)

//go:embed lua.lua
var luaStart string

// lua is PUC-Rio's interpreter. Its command runs LUA_INIT, or before that the variable of its
// version, unless it has the option -E. Programs that embed Lua do not.
var lua = runtime{
	name: "lua", title: "Lua", variables: []string{luaInit},
	set: func(env []string) []string {
		names := []string{luaInit}
		for _, of := range luaVersions {
			if _, isSet := environ.Lookup(env, luaInit+of.suffix); isSet {
				names = append(names, luaInit+of.suffix)
			}
		}
		return names
	},
	value: func(file string) string { return "@" + file },
	start: func(env []string, dir string) string {
		var wanted strings.Builder
		if own, isSet := environ.Lookup(env, luaInit); isSet {
			fmt.Fprintf(&wanted, "[\"\"] = %s, ", luaQuoted(own))
		}
		for _, of := range luaVersions {
			if own, isSet := environ.Lookup(env, luaInit+of.suffix); isSet {
				fmt.Fprintf(&wanted, "[%q] = %s, ", of.version, luaQuoted(own))
			}
		}
		return fmt.Sprintf(luaStart, dir, wanted.String())
	},
	follow: func(pid uint32, announced string) (follower, error) { return followLua(pid, announced) },
}

const luaInit = "LUA_INIT"

var luaVersions = []struct{ version, suffix string }{{"5.2", "_5_2"}, {"5.3", "_5_3"}, {"5.4", "_5_4"}}

// luaQuoted is a string of Lua that means the text, in every version.
func luaQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		fmt.Fprintf(&b, "\\%03d", text[i])
	}
	b.WriteByte('"')
	return b.String()
}

// luaAnnounced is what a process says of itself.
type luaAnnounced struct {
	version   string
	thread    uint64
	functions map[uint64]string // in C, by what tostring shows
}

// errPartial says that not all of it is written.
var errPartial = errors.New("not all of it is written")

func readLua(text string) (a luaAnnounced, err error) {
	a.functions = map[uint64]string{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && fields[0] == "end":
			if a.version == "" || a.thread == 0 {
				return a, errors.New("it does not say where its state is")
			}
			return a, nil
		case len(fields) == 2 && fields[0] == "version":
			a.version = fields[1]
		case len(fields) >= 3 && fields[0] == "thread":
			a.thread = address(fields[len(fields)-1])
		case len(fields) >= 4 && fields[0] == "function":
			at := address(fields[len(fields)-1])
			if old, known := a.functions[at]; at != 0 && (!known || fields[1] < old) {
				a.functions[at] = fields[1] // tables may share a function: the order of pairs is to decide nothing
			}
		}
	}
	return a, errPartial
}

func address(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return 0
	}
	return n
}

// luaProcess is a process that runs Lua.
type luaProcess struct {
	luaAnnounced

	memory luastack.Memory
	reader *luastack.Reader
	t      *moments.Track
	began  time.Time
	failed int    // looks in a row
	dir    string // where it runs
	names  map[string]string
}

func followLua(pid uint32, announced string) (follower, error) {
	text, err := os.ReadFile(announced)
	if err != nil {
		return nil, fmt.Errorf("reading what a process of Lua announces: %w", err)
	}
	a, err := readLua(string(text))
	if errors.Is(err, errPartial) {
		return nil, nil //nolint:nilnil // as said at follow
	}
	if err != nil {
		return nil, err
	}
	memory, err := luastack.Open(pid)
	if errors.Is(err, os.ErrNotExist) {
		return ended{}, nil
	}
	if err != nil {
		return nil, err
	}
	reader, err := luastack.New(memory, a.version, a.thread)
	if err != nil {
		_ = memory.Close() // only read from
		return nil, err
	}
	p := &luaProcess{
		luaAnnounced: a, memory: memory, reader: reader, began: time.Now(), names: map[string]string{},
		t: &moments.Track{PID: pid, Kind: profile.KindLua, Within: luaWithin, Copying: luaConcat},
	}
	p.dir, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)) // of one that has ended, nothing is read
	p.t.Code = codeOf(pid, a.functions, reader.Function)
	return p, nil
}

// ended is a process that was too short to be followed.
type ended struct{}

func (ended) look(time.Time) (time.Duration, bool) { return time.Hour, false }
func (ended) track() *moments.Track                { return nil }

const (
	luaConcat = ".."
	luaWithin = 50 * time.Millisecond
	// luaQuick and luaSlow are between two looks, as the sampler is quicker at first too.
	luaQuick, luaSlow = time.Millisecond, 4 * time.Millisecond
	luaQuickTime      = 10 * time.Second
	// luaFailures is after how many failed looks the process is taken to have ended.
	luaFailures = 50
	// luaShare is the part of a processor that looking may take: one over it.
	luaShare = 40
)

// look reads the stack.
func (p *luaProcess) look(now time.Time) (next time.Duration, running bool) {
	calls, ok := p.reader.Read()
	took := time.Since(now)
	if !ok {
		p.failed++
		return luaQuick, p.failed < luaFailures
	}
	p.failed = 0
	p.t.Add(now.Add(took/2), p.frames(calls))
	next = luaQuick
	if now.Sub(p.began) > luaQuickTime {
		next = luaSlow
	}
	return max(next, luaShare*took), true
}

// frames are those of calls, without functions in C that have no name.
func (p *luaProcess) frames(calls []luastack.Call) []moments.Frame {
	out := make([]moments.Frame, 0, len(calls))
	for i, c := range calls {
		if c.C != 0 {
			if name := p.functions[c.C]; name != "" {
				out = append(out, moments.Frame{Function: name})
			}
			continue
		}
		if i == 0 && c.Concat {
			out = append(out, moments.Frame{Function: luaConcat})
		}
		out = append(out, moments.Frame{File: c.Source, Start: int32(c.Defined), Line: int32(c.Line)}) //nolint:gosec // a line
	}
	return out
}

func (p *luaProcess) track() *moments.Track {
	_ = p.memory.Close() // only read from
	p.t.Rename(func(f moments.Frame) moments.Frame {
		if f.Function == "" {
			f = p.named(f)
		}
		return f
	})
	return p.t
}

// named is a frame with the path of its file, and the name that its function has there: Lua's
// functions are values and have none of their own.
func (p *luaProcess) named(f moments.Frame) moments.Frame {
	path, isFile := strings.CutPrefix(f.File, "@")
	if !isFile {
		f.File = strings.TrimPrefix(strings.SplitN(f.File, "\n", 2)[0], "=")
		f.Function = fmt.Sprintf("%s:%d", f.File, f.Start)
		return f
	}
	f.File = path
	if !filepath.IsAbs(path) {
		f.File = filepath.Join(p.dir, path)
	}
	if f.Start == 0 {
		f.Function = "main chunk"
		return f
	}
	key := fmt.Sprintf("%s:%d", f.File, f.Start)
	name, known := p.names[key]
	if !known {
		if name = luaName(lineOf(f.File, int(f.Start))); name == "" {
			name = fmt.Sprintf("function at line %d", f.Start)
		}
		p.names[key] = name
	}
	f.Function = name
	return f
}

var (
	luaFunction   = regexp.MustCompile(`\bfunction\s+([A-Za-z_][\w.:]*)\s*\(`)
	luaAssignment = regexp.MustCompile(`([A-Za-z_][\w.]*)\s*=\s*function\b`)
)

// luaName is the name of the function that begins in a line.
func luaName(line string) string {
	for _, e := range []*regexp.Regexp{luaFunction, luaAssignment} {
		if m := e.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// lineOf is a line of a file, "" where there is none.
func lineOf(path string, number int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read from
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if n == number {
			return lines.Text()
		}
	}
	return ""
}
