package perfdata

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

// needPerf skips the test where perf cannot record.
func needPerf(t *testing.T) {
	t.Helper()
	if _, err := tool.Find("perf"); err != nil {
		t.Skip("perf is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "perf", "record", "-e", "cpu-clock", "-o", filepath.Join(t.TempDir(), "probe"), "true").CombinedOutput()
	if err != nil {
		t.Skipf("perf cannot record here: %v: %s", err, out)
	}
}

// capture runs perf record and returns the file.
func capture(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "perf.data")
	cmd := exec.CommandContext(t.Context(), "perf", append([]string{"record", "-q", "-o", file}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return file
}

// A sampleText is one sample as text: who, when, and its frames as
// "address (binary)".
type sampleText struct {
	who    string // "comm pid/tid time-in-µs"
	frames []string
}

var scriptHead = regexp.MustCompile(`^\s*(.+?)\s+(\d+)/(\d+)\s+(\d+)\.(\d{6}):`)

// In pipe mode perf prints symbols whether asked or not.
var scriptFrame = regexp.MustCompile(`^([0-9a-f]+) (?:.* )?(\((?:[^()]|\(deleted\))*\))$`)

// perfScript is what perf itself makes of a file.
func perfScript(t *testing.T, file string) []sampleText {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "perf", "script", "-i", file, "--no-inline", "-F", "comm,pid,tid,time,ip,dso")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("perf script does not read this file: %v: %s", err, stderr.String())
	}
	var all []sampleText
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if m := scriptHead.FindStringSubmatch(line); m != nil {
			all = append(all, sampleText{who: fmt.Sprintf("%s %s/%s %s%s", m[1], m[2], m[3], m[4], m[5])})
			line = line[len(m[0]):] // without call chains the address is on the same line
		}
		m := scriptFrame.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		// perf shows the zero behind the outermost frame, or what it gets by
		// subtracting one from it.
		ip := strings.TrimLeft(m[1], "0")
		if ip == "" || ip == "ffffffffffffffff" {
			continue
		}
		s := &all[len(all)-1]
		s.frames = append(s.frames, ip+" "+m[2])
	}
	return all
}

// ours is the same from our own reader. Callers' addresses are one less than
// perf prints for call chains that the kernel walked, so that is put back; what
// perf unwound itself it prints as we do, so userToo is false there.
func ours(t *testing.T, p *profile.Profile, userToo bool) []sampleText {
	t.Helper()
	var all []sampleText
	for _, s := range p.Samples() {
		comm, _ := p.Label(s.Labels, profile.LabelThread)
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		tid, _ := p.Label(s.Labels, profile.LabelTID)
		st := sampleText{who: fmt.Sprintf("%s %d/%d %d", comm.Str, pid.Num, tid.Num, s.Time/1000)}
		prevKernel := false
		for i, id := range p.Stack(s.Stack) {
			loc := p.Location(id)
			m := p.Mapping(loc.Mapping)
			addr := loc.Address
			kernel := p.Function(p.Lines(id)[0].Function).Kind == profile.KindKernel
			if i > 0 && kernel == prevKernel && (kernel || userToo) {
				addr++
			}
			prevKernel = kernel
			if !kernel && loc.Mapping != 0 && !strings.HasPrefix(m.Path, "/tmp/perf-") {
				addr = addr - m.Start + m.Offset
			}
			name := m.Path
			if loc.Mapping == 0 {
				name = "[unknown]"
			}
			st.frames = append(st.frames, strconv.FormatUint(addr, 16)+" ("+name+")")
		}
		for range s.Count {
			all = append(all, st)
		}
	}
	return all
}

func readForCompare(t *testing.T, file string) *profile.Profile {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Read(context.Background(), f, Options{
		KeepTime: true, KeepIdle: true,
		Labels: []string{profile.LabelThread, profile.LabelPID, profile.LabelTID},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// difference pairs the samples of both sides and returns how many have the same
// frames, and some that do not.
func difference(a, b []sampleText) (same int, examples []string) {
	byWho := map[string][]sampleText{}
	for _, s := range b {
		byWho[s.who] = append(byWho[s.who], s)
	}
	for _, s := range a {
		rest := byWho[s.who]
		i := slices.IndexFunc(rest, func(o sampleText) bool { return slices.Equal(o.frames, s.frames) })
		if i >= 0 {
			same++
			byWho[s.who] = slices.Delete(rest, i, i+1)
			continue
		}
		other := "none"
		if len(rest) > 0 {
			other = strings.Join(rest[0].frames, "\n\t\t")
		}
		examples = append(examples, fmt.Sprintf("%s\n\tperf:\n\t\t%s\n\tours:\n\t\t%s",
			s.who, strings.Join(s.frames, "\n\t\t"), other))
	}
	return same, examples
}

const busyShell = `seq 1 60000 | sort -R | sort -n | md5sum; for i in 1 2 3 4 5; do awk 'BEGIN{for(i=0;i<200000;i++)s+=i; print s}'; done >/dev/null`

// TestSameAsPerfScript compares every frame of every sample with what perf says
// of captures that are made here and now.
func TestSameAsPerfScript(t *testing.T) {
	needPerf(t)
	for name, args := range map[string][]string{
		"one process": {"-e", "cpu-clock", "-F", "1999", "-g", "sh", "-c", busyShell},
		"system":      {"-e", "cpu-clock", "-F", "499", "-a", "-g", "sh", "-c", busyShell},
		"compressed":  {"-z", "-e", "cpu-clock", "-F", "1999", "-g", "sh", "-c", busyShell},
		"build IDs":   {"--buildid-mmap", "-e", "task-clock", "-F", "1999", "-g", "sh", "-c", busyShell},
		"no stacks":   {"-e", "cpu-clock", "-F", "1999", "sh", "-c", busyShell},
	} {
		t.Run(name, func(t *testing.T) {
			file := capture(t, args...)
			compareFile(t, file, name == "no stacks", name == "system")
		})
	}
}

func compareFile(t *testing.T, file string, pages, system bool) {
	t.Helper()
	theirs := perfScript(t, file)
	mine := ours(t, readForCompare(t, file), true)
	for _, side := range [][]sampleText{theirs, mine} {
		if pages {
			withinPage(side)
		}
	}
	if len(theirs) != len(mine) {
		t.Errorf("perf script has %d samples, we have %d", len(theirs), len(mine))
	}
	if system {
		theirs, mine = ofBusyShell(theirs), ofBusyShell(mine)
		if len(theirs) == 0 {
			t.Error("no sample of the programs that the test started")
		}
	}
	same, examples := difference(theirs, mine)
	t.Logf("%d of %d samples have the same frames", same, len(theirs))
	for i, e := range examples {
		if i == 5 {
			break
		}
		t.Errorf("%s", e)
	}
}

// ofBusyShell keeps the samples of the programs that busyShell starts. Of other
// programs on the machine some are caught in the middle of an exec, where perf
// mixes the old program's name and memory with the new one's.
func ofBusyShell(all []sampleText) []sampleText {
	return slices.DeleteFunc(all, func(s sampleText) bool {
		comm, _, _ := strings.Cut(s.who, " ")
		return !slices.Contains([]string{"seq", "sort", "md5sum", "awk", "mawk", "gawk"}, comm)
	})
}

// withinPage keeps of every address what is below the page size: where a sample
// has no call chain perf prints the run-time address, not the one in the file.
func withinPage(samples []sampleText) {
	for _, s := range samples {
		for i, f := range s.frames {
			addr, dso, _ := strings.Cut(f, " ")
			s.frames[i] = addr[max(0, len(addr)-3):] + " " + dso
		}
	}
}
