// Package jit reads what just-in-time compilers report while a program runs: V8's log,
// its --trace-deopt and the deoptReason of its CPU profiles, HotSpot's -XX:+LogCompilation.
//
// It takes a stream and gives remarks: what was deoptimised, counted by function and
// reason, what was not inlined, what was not compiled. It must never open a file.
package jit

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

const maxLine = 4 << 20

// anonymous is a function without a name, as profiles have it.
const anonymous = "(anonymous)"

// bailout is V8's line of a deoptimisation that has happened (V8 9 to 13,
// src/deoptimizer/deoptimizer.cc).
var bailout = regexp.MustCompile(`^\[bailout \(kind: ([\w-]+), reason: (.*?)\): begin\. deoptimizing 0x[0-9a-f]+ <JSFunction ([^>]*?) ?\(sfi = 0x[0-9a-f]+\)>`)

// IsDeoptTrace tells whether a text has a line of --trace-deopt. The program's own
// output may come first.
func IsDeoptTrace(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bailout.Match(line) {
			return true
		}
	}
	return false
}

type deopt struct{ function, reason string }

// ReadDeoptTrace counts deoptimisations by function and reason.
func ReadDeoptTrace(r io.Reader, take func(remark.Remark)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	count := map[deopt]int64{}
	for lines.Scan() {
		if p := bailout.FindStringSubmatch(lines.Text()); p != nil {
			count[deopt{p[3], p[2]}]++
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	for _, d := range slices.SortedFunc(maps.Keys(count), compareDeopts) {
		name := d.function
		if name == "" {
			name = anonymous
		}
		take(remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Function: name, Message: d.reason, Count: count[d]})
	}
	return nil
}

func compareDeopts(a, b deopt) int {
	return cmp.Or(cmp.Compare(a.function, b.function), cmp.Compare(a.reason, b.reason))
}

// IsCPUProfile tells whether a document is a CPU profile of V8's.
func IsCPUProfile(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) && bytes.Contains(head, []byte(`"nodes"`)) && bytes.Contains(head, []byte(`"callFrame"`))
}

// ReadCPUProfile gives the functions that V8 says it gave up to optimise.
func ReadCPUProfile(r io.Reader, take func(remark.Remark)) error {
	var f struct {
		Nodes []struct {
			Reason    string `json:"deoptReason"`
			CallFrame struct {
				Function string  `json:"functionName"`
				URL      string  `json:"url"`
				Line     float64 `json:"lineNumber"`
			} `json:"callFrame"`
		} `json:"nodes"`
	}
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, n := range f.Nodes {
		name, file := n.CallFrame.Function, profile.LocalFile(n.CallFrame.URL)
		if n.Reason == "" || n.Reason == "no reason" {
			continue
		}
		if name == "" {
			name = anonymous
		}
		line := 0
		if l := n.CallFrame.Line; l >= 0 && l < 1<<30 {
			line = int(l) + 1
		}
		if k := fmt.Sprintf("%s %s:%d %s", name, file, line, n.Reason); !seen[k] {
			seen[k] = true
			take(remark.Remark{Compiler: remark.V8, Kind: remark.NotCompiled, Function: name, Message: n.Reason, Where: []remark.Position{{File: file, Line: line}}})
		}
	}
	return nil
}
