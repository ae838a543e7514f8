package ebpf

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/times"

	"whyhot/internal/collect/statement"
	"whyhot/internal/profile"
)

// settleLimit is for how long a recording waits until the databases that run are watched.
const settleLimit = 2 * time.Second

// watchStatements begins to see SQL statements, where it is asked for.
func (rec *recording) watchStatements(pids []int) {
	if !rec.request.Settings.Statements {
		return
	}
	watch, err := rec.startStatements()
	if err != nil {
		rec.profiler.notes = append(rec.profiler.notes, "statements of databases are not recorded: "+err.Error())
		return
	}
	rec.convert.statements, rec.tasks.mapped = watch, watch.Mapped
	for _, pid := range rec.tasks.running() {
		if rec.proc == nil || !slices.Contains(pids, int(pid)) { // else it is a shell yet
			watch.Process(pid)
		}
	}
	if rec.proc != nil && namesSQLite(rec.request.Target.Command) {
		watch.Ahead()
	}
	watch.Settle(settleLimit)
}

// namesSQLite says whether a command, or a script that it names, speaks of SQLite. Its first
// statement may begin within a millisecond, and probes that come later do not see it; to look
// for the library ahead of every recording would take a tenth of a second each time.
func namesSQLite(command []string) bool {
	const most = 1 << 20 // bytes: a longer file is no script
	for _, word := range command {
		if strings.Contains(strings.ToLower(word), "sqlite") {
			return true
		}
		if info, err := os.Stat(word); err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		if text, err := os.ReadFile(word); err == nil && bytes.Contains(bytes.ToLower(text), []byte("sqlite")) {
			return true
		}
	}
	return false
}

func (rec *recording) startStatements() (*statement.Recorder, error) {
	if !inInitialPIDNamespace() {
		return nil, errors.New("process IDs of another namespace are translated")
	}
	var known *ebpf.Map
	if !rec.request.Target.System {
		maps, err := mapsOf(rec.profiler.tracer)
		if err != nil {
			return nil, err
		}
		if known = maps["pid_page_to_mapping_info"]; known == nil {
			return nil, errors.New("this version of the profiler keeps processes in another place")
		}
	}
	return statement.Start(known, func(kernel int64) int64 { return times.KTime(kernel).UnixNano() })
}

// nativeCode is where a location is.
type nativeCode struct {
	path    string
	address uint64
}

// statementOf is the statement that a sample belongs to, and its database. Of code within
// the library of one, the database is known without the statement.
func (c *converter) statementOf(thread uint32, at time.Time) (system, text string) {
	if c.statements == nil {
		return "", ""
	}
	var in *statement.System
	for _, loc := range c.stack {
		if code, is := c.native[loc]; is {
			if in = c.statements.Code(code.path, code.address); in != nil {
				break
			}
		}
	}
	if system, text = c.statements.At(thread, at.UnixNano(), in); system == "" && in != nil {
		system = in.Name()
	}
	return system, text
}

// withStatements is the profile with what was seen.
func (rec *recording) withStatements(p *profile.Profile) *profile.Profile {
	c := rec.convert
	if c.statements == nil {
		return p
	}
	p, more := alike(p, func(loc profile.LocationID) bool {
		code, is := c.native[loc]
		return is && c.statements.Code(code.path, code.address) != nil
	})
	all, notes := c.statements.Statements(more)
	p.Meta.Statements = all
	p.Meta.Warnings = append(p.Meta.Warnings, notes...)
	return p
}
