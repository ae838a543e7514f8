package folded

import (
	"regexp"
	"strconv"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// dialect is what the frames of a whole file say about who wrote it.
type dialect struct {
	source     string
	valueType  profile.ValueType
	commFirst  bool // every stack starts with the name of its thread
	comms      map[string]bool
	python, js bool // most frames with a source position are in this language
	methods    bool // most frames with a dot are "Type.method:LINE"
}

// austin is the name of the one source that names processes in its own way.
const austin = "austin"

// roots are the functions that a native stack starts with when it was unwound
// to its end; a frame before one of them is no function.
var roots = map[string]bool{
	"_start": true, "__libc_start_main": true, "__libc_start_call_main": true, "__libc_start_main_impl": true,
	"clone": true, "clone3": true, "__clone": true, "__clone3": true, "start_thread": true, "thread_start": true,
	"ret_from_fork": true, "ret_from_fork_asm": true, "entry_SYSCALL_64_after_hwframe": true,
	"secondary_startup_64": true, "secondary_startup_64_no_verify": true, "cpu_startup_entry": true,
	"runtime.goexit": true, "runtime.goexit.abi0": true, "rt0_go": true,
}

func survey(t *table) dialect {
	d := dialect{source: "folded", valueType: profile.ValueType{Type: "samples", Unit: "count"}, comms: map[string]bool{}}
	var marked, located, python, js, dotted, methods int
	firstsAreFrames := false
	for i := range t.frames {
		f := &t.frames[i]
		fm := splitMarks(f.text)
		p, ok := positioned(fm.text)
		if strings.Contains(fm.text, ".") {
			dotted++
		}
		if !ok && methodLine.MatchString(fm.text) {
			methods++
		}
		switch {
		case fm.marked():
			marked++
		case ok && p.Kind == profile.KindPython:
			python++
		case ok && p.Kind == profile.KindJS:
			js++
		}
		if ok {
			located++
		}
		if !f.first {
			continue
		}
		d.comms[f.text] = true
		if fm.marked() || ok || f.rest && f.text != "" || isUnknown(fm.text) || isRoot(fm.text) || explicitLabel(f.text) || !fitsComm(f.text) {
			firstsAreFrames = true
		}
	}
	d.python = python*2 > located && python > 0
	d.js = js*2 > located && js > 0
	d.methods = methods*2 > dotted
	d.commFirst = !firstsAreFrames && t.secondIsRoot(marked > 0)
	switch {
	case t.austin:
		d.source, d.valueType = austin, profile.ValueType{Type: "time", Unit: "microseconds"}
	case d.python:
		d.source = "py-spy"
	}
	return d
}

// secondIsRoot tells whether at least half of the stacks start with a frame followed by
// what a stack starts with: a process or thread entry point and, where the file marks
// frames, one that is marked or unknown. A mark further up says nothing of the first
// frame: "main;read;vfs_read_[k]" starts with a function.
func (t *table) secondIsRoot(marks bool) bool {
	n := 0
	for _, w := range t.rows {
		s := t.stacks[w.begin:w.end]
		if len(s) < 2 {
			continue
		}
		second := t.frames[s[1]].text
		fm := splitMarks(second)
		if isRoot(second) || marks && (fm.marked() || isUnknown(fm.text) || isRoot(fm.text)) {
			n += w.lines
		}
	}
	return n > 0 && n*2 >= t.lines-t.bad
}

// fitsComm tells whether this can be a thread's name: the kernel keeps 15 bytes, and
// "<module>" is what interpreters call code outside functions. Perf's "-PID" or "-PID/TID"
// may be behind a name.
func fitsComm(text string) bool {
	const most = 15
	if m := perfThread.FindStringSubmatch(text); m != nil {
		text = m[1]
	} else if m := perfPID.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return len(text) <= most && !(strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">"))
}

func isRoot(text string) bool {
	text, _ = cutOffset(text)
	return roots[codename.Display(text)]
}

var (
	asyncThread = regexp.MustCompile(`^\[(.*) tid=(\d+)\]$`)
	pySpyProc   = regexp.MustCompile(`^process (\d+):"(.*)"$`)
	pySpyThread = regexp.MustCompile(`^thread \((0x[0-9a-fA-F]+|0X[0-9a-fA-F]+|\d+)\)(?:: (.*))?$`)
	austinProc  = regexp.MustCompile(`^P(\d+)$`)
	austinThr   = regexp.MustCompile(`^T(?:\d+:)?(0x[0-9a-fA-F]+|\d+)$`)
	perfThread  = regexp.MustCompile(`^(.+)-(\d+|\?)/(\d+)$`)
	perfPID     = regexp.MustCompile(`^(.+)-(\d+)$`)
)

// explicitLabel tells whether a frame can only be a process or thread.
func explicitLabel(text string) bool {
	return asyncThread.MatchString(text) || pySpyProc.MatchString(text) || pySpyThread.MatchString(text)
}

// leastPID separates "worker-3017" from "clang-14": a version, not a process.
const leastPID = 300

// explicit reads a frame that can only stand for a process or thread. ok is
// false when it is a frame like any other.
func (d *dialect) explicit(text string) (labels []profile.Label, ok bool) {
	switch m := []string(nil); {
	case match(asyncThread, text, &m):
		return label(profile.LabelThread, m[1], profile.LabelTID, m[2]), true
	case match(pySpyProc, text, &m):
		return label(profile.LabelProcess, programName(m[2]), profile.LabelPID, m[1]), true
	case match(pySpyThread, text, &m):
		return label(profile.LabelThread, m[2], profile.LabelTID, strings.ToLower(m[1])), true
	case d.source == austin && match(austinProc, text, &m):
		return label("", "", profile.LabelPID, m[1]), true
	case d.source == austin && match(austinThr, text, &m):
		return label("", "", profile.LabelTID, m[1]), true
	}
	return nil, false
}

// comm reads the thread name in front of a stack of perf's or bcc's.
func comm(text string) []profile.Label {
	if m := perfThread.FindStringSubmatch(text); m != nil {
		return append(label(profile.LabelThread, m[1], profile.LabelPID, m[2]), label("", "", profile.LabelTID, m[3])...)
	}
	if m := perfPID.FindStringSubmatch(text); m != nil && atLeast(m[2], leastPID) {
		return label(profile.LabelThread, m[1], profile.LabelPID, m[2])
	}
	return label(profile.LabelThread, text, "", "")
}

// label makes a text label and a number label; an empty or unreadable value
// makes none.
func label(key, text, numKey, num string) []profile.Label {
	var labels []profile.Label
	if text != "" {
		labels = append(labels, profile.Label{Key: key, Str: clean(text)})
	}
	if n, err := strconv.ParseInt(num, 0, 64); err == nil {
		labels = append(labels, profile.Label{Key: numKey, Num: n})
	}
	return labels
}

func match(re *regexp.Regexp, s string, m *[]string) bool {
	*m = re.FindStringSubmatch(s)
	return *m != nil
}

func atLeast(digits string, n int) bool {
	v, err := strconv.Atoi(digits)
	return err == nil && v >= n
}

// programName shortens a command line to the name of its program.
func programName(cmdline string) string {
	program, _, _ := strings.Cut(cmdline, " ")
	return program[strings.LastIndexByte(program, '/')+1:]
}
