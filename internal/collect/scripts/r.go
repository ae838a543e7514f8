package scripts

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/collect/scripts/rprof"
	"whyhot/internal/collect/scripts/rscript"
	"whyhot/internal/host/environ"
	"whyhot/internal/profile"
)

//go:embed start.R
var rStart string

// rLanguage is R. Its own start-up file, which no option leaves out, sources R_TESTS: users'
// profiles and their variables stay as they are, and --vanilla changes nothing.
var rLanguage = runtime{
	name: "r", title: "R", variables: []string{rTests},
	set:   func([]string) []string { return []string{rTests} },
	value: func(file string) string { return file },
	start: func(env []string, dir string) string {
		return fmt.Sprintf(rStart, rQuoted(environ.Get(env, rTests)), dir, rInterval.Seconds())
	},
	follow: func(pid uint32, announced string) (follower, error) { return followR(pid, announced) },
}

const (
	rTests    = "R_TESTS"
	rInterval = 5 * time.Millisecond
	// rLook is between two looks at how far the file has been written.
	rLook = 5 * time.Millisecond
	// rSlowLook is the same after so many, since each is kept.
	rSlowLook  = 25 * time.Millisecond
	rManyLooks = 10_000
	// rWithin is how far from a sample R's own may be: some intervals, and on a busy machine as
	// long as the process waits between two looks.
	rWithin = 250 * time.Millisecond
)

// rQuoted is a string of R.
func rQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

// rProcess is a process that runs R.
type rProcess struct {
	pid    uint32
	path   string
	script string // as its command line names it, "" where it does not
	dir    string // where it runs
	log    []rprof.Seen
	text   *rscript.Script // nil where it cannot be read
}

func followR(pid uint32, announced string) (follower, error) {
	p := &rProcess{pid: pid, path: announced}
	p.dir, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)) // of one that has ended, only its file is left
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err == nil {
		p.script = rScript(strings.Split(strings.TrimRight(string(words), "\x00"), "\x00"))
	}
	if p.script != "" && !filepath.IsAbs(p.script) {
		p.script = filepath.Join(p.dir, p.script)
	}
	return p, nil
}

// rScript is the file that a command line of R names.
func rScript(words []string) string {
	for i, w := range words {
		switch {
		case w == "--args":
			return ""
		case strings.HasPrefix(w, "--file="):
			return strings.TrimPrefix(w, "--file=")
		case (w == "-f" || w == "--file") && i+1 < len(words):
			return words[i+1]
		}
	}
	return ""
}

// look notes how far the file has been written.
func (p *rProcess) look(time.Time) (next time.Duration, running bool) {
	var used unix.Timespec
	if err := unix.ClockGettime(cpuClock(p.pid), &used); err != nil {
		return rLook, false
	}
	now := time.Now()
	info, err := os.Stat(p.path)
	if err != nil {
		return rLook, false
	}
	s := rprof.Seen{At: now, CPU: time.Duration(used.Nano()), Size: info.Size()}
	if n := len(p.log); n > 0 && p.log[n-1].CPU == s.CPU && p.log[n-1].Size == s.Size {
		p.log[n-1].At = now // it has not run since
		return rLook, true
	}
	p.log = append(p.log, s)
	if len(p.log) > rManyLooks {
		return rSlowLook, true
	}
	return rLook, true
}

// cpuClock is the clock of a process's CPU time (CPUCLOCK_SCHED of all its threads).
func cpuClock(pid uint32) int32 {
	const allThreads = 2
	return int32(^pid<<3 | allThreads) //nolint:gosec // negative, as the kernel wants it
}

func (p *rProcess) track() *moments.Track {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return nil
	}
	samples, err := rprof.Read(string(text))
	if err != nil {
		return nil // the script has switched the profiler off, or has used it otherwise
	}
	if text, err := os.ReadFile(p.script); err == nil {
		p.text = rscript.Read(string(text))
	}
	t := &moments.Track{PID: p.pid, Kind: profile.KindR, Within: rWithin}
	samples.Moments(p.log, func(at time.Time, calls []rprof.Call) { t.Add(at, p.frames(calls)) })
	return t
}

// frames are those of calls. Functions of R's packages have no file.
func (p *rProcess) frames(calls []rprof.Call) []moments.Frame {
	out := make([]moments.Frame, 0, len(calls)+1)
	for _, c := range calls {
		f := moments.Frame{Function: c.Function, File: c.File, Line: int32(c.Line)} //nolint:gosec // a line
		switch {
		case c.File == rprof.Unnamed:
			f.File = p.script
		case c.File != "" && !filepath.IsAbs(c.File):
			f.File = filepath.Join(p.dir, c.File)
		}
		if f.Function == "" {
			f.Function = topName
		}
		out = append(out, f)
	}
	n := len(out)
	if n == 0 || p.text == nil || out[n-1].Function == topName || rOutermost[out[n-1].Function] {
		return out
	}
	var within []string
	if n > 1 {
		within = []string{out[n-2].Function}
	}
	top := p.text.Calls(out[n-1].Function, within...)
	base := p.text.BaseOf(top)
	for i := n - 1; i >= 0; i-- {
		if calls[i].File == rprof.Unnamed {
			base = p.place(&out[i], base)
		}
	}
	return append(out, moments.Frame{Function: topName, File: p.script, Line: int32(top)}) //nolint:gosec // a line
}

// place gives a function of the script its line in the file. R counts from the outermost
// expression that the function is in: where its definition is not found, as of one without a
// name, that is the one of the function that has called it.
func (p *rProcess) place(f *moments.Frame, base int) int {
	if of := p.text.Base(f.Function); of > 0 {
		base = of
	}
	line := base + int(f.Line) - 1
	if base == 0 || line > p.text.Len() {
		f.Line = 0
		return base
	}
	f.Line = int32(line) //nolint:gosec // a line
	return base
}

// topName is the name of what is in no function.
const topName = "top level"

// rOutermost are functions that R itself calls.
var rOutermost = map[string]bool{".First.sys": true, ".OptRequireMethods": true, "compiler:::tryCompile": true, ".Last": true}
