package run

import (
	"bytes"
	"io"
)

// The names of a command's own streams.
const (
	Stdout = "standard output"
	Stderr = "standard error"
)

// longestLine bounds what a filter is shown at once, so that output without
// lines does not fill the memory.
const longestLine = 1 << 20

// lineFilter hands whole lines to a function and what that leaves of them to the
// next writer.
type lineFilter struct {
	name   string
	filter func(name string, line []byte) []byte
	to     io.Writer
	rest   []byte
}

// filtered puts the filter of a spec, if there is one, in front of a writer. Call
// flush at the end.
func filtered(spec Spec, name string, to io.Writer) (w io.Writer, flush func()) {
	if spec.Filter == nil {
		return to, func() {}
	}
	f := &lineFilter{name: name, filter: spec.Filter, to: to}
	return f, func() { f.pass(f.rest) }
}

func (f *lineFilter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			if len(f.rest)+len(p) < longestLine {
				f.rest = append(f.rest, p...)
				return n, nil
			}
			end = longestLine - len(f.rest)
		}
		line := p[:end]
		if len(f.rest) > 0 {
			line = append(f.rest, line...)
		}
		f.pass(line)
		f.rest = f.rest[:0]
		p = p[end:]
	}
	return n, nil
}

func (f *lineFilter) pass(line []byte) {
	if len(line) > 0 {
		_, _ = f.to.Write(f.filter(f.name, line)) // the writers behind keep their first error themselves
	}
}
