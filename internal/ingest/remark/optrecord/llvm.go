// Package optrecord reads the records of optimisation that compilers of native code
// write: LLVM's YAML (clang -fsave-optimization-record, rustc -Zremark-dir), the text of
// rustc -Cremark=all, and gcc's JSON (-fsave-optimization-record).
//
// It takes a stream and gives remarks; what a pass did well is left out. It must never
// open a file.
package optrecord

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"whyhot/internal/ingest/remark"
)

const (
	maxLine     = 4 << 20
	maxDocument = 1 << 20
)

// IsYAML tells whether a text begins as LLVM's YAML does.
func IsYAML(head []byte) bool {
	return regexp.MustCompile(`^--- !(Passed|Missed|Analysis\w*|Failure)\n`).Match(head)
}

type place struct {
	File   string `yaml:"File"`
	Line   int    `yaml:"Line"`
	Column int    `yaml:"Column"`
}

type document struct {
	Pass     string          `yaml:"Pass"`
	Name     string          `yaml:"Name"`
	DebugLoc place           `yaml:"DebugLoc"`
	Function string          `yaml:"Function"`
	Args     []yaml.MapSlice `yaml:"Args"`
}

// ReadYAML reads documents one by one. LLVM begins each with its kind as a tag, and no
// text in it can look like that: lines of text are quoted.
func ReadYAML(r io.Reader, take func(remark.Remark)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var (
		text  bytes.Buffer
		kind  remark.Kind
		begin int
	)
	flush := func() error {
		defer text.Reset()
		if kind == "" || text.Len() == 0 {
			return nil
		}
		m, err := documentOf(text.Bytes(), kind)
		if err != nil {
			return fmt.Errorf("the record at line %d: %w", begin, err)
		}
		take(m)
		return nil
	}
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if tag, ok := bytes.CutPrefix(line, []byte("--- !")); ok {
			if err := flush(); err != nil {
				return err
			}
			kind, begin = "", n
			switch {
			case string(tag) == "Missed" || string(tag) == "Failure":
				kind = remark.Missed
			case bytes.HasPrefix(tag, []byte("Analysis")):
				kind = remark.Analysis
			}
			continue
		}
		if kind == "" || string(line) == "..." {
			continue
		}
		if text.Len()+len(line) > maxDocument {
			return fmt.Errorf("the record at line %d is longer than %d bytes", begin, maxDocument)
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return flush()
}

func documentOf(text []byte, kind remark.Kind) (remark.Remark, error) {
	var d document
	if err := yaml.Unmarshal(text, &d); err != nil {
		return remark.Remark{}, err
	}
	m := remark.Remark{Compiler: remark.Clang, Kind: kind, Pass: d.Pass, Name: d.Name, Function: d.Function}
	if d.DebugLoc.Line > 0 {
		m.Where = []remark.Position{{File: d.DebugLoc.File, Line: d.DebugLoc.Line, Column: d.DebugLoc.Column}}
	}
	var message strings.Builder
	for _, arg := range d.Args {
		for _, item := range arg {
			if item.Key == "DebugLoc" {
				continue
			}
			text := fmt.Sprint(item.Value)
			if item.Key == "Callee" {
				m.Callee = text
			}
			message.WriteString(text)
		}
	}
	m.Message = strings.TrimSpace(message.String())
	return m, nil
}

// note is "note: FILE:LINE:COLUMN PASS (KIND): TEXT", as rustc prints it.
var note = regexp.MustCompile(`^note: (.+):(\d+):(\d+) ([\w-]+) \((missed|analysis|success|failure|analysis-fp|analysis-aliasing)\): (.*)$`)

// IsRustText tells whether a text has a line of rustc -Cremark.
func IsRustText(head []byte) bool {
	for line := range bytes.Lines(head) {
		if note.Match(bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// ReadRustText reads what rustc or cargo wrote to its standard error. Names of remarks
// are not in it: the text is all there is.
func ReadRustText(r io.Reader, take func(remark.Remark)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		p := note.FindStringSubmatch(lines.Text())
		if p == nil || p[5] == "success" {
			continue
		}
		kind := remark.Missed
		if strings.HasPrefix(p[5], "analysis") {
			kind = remark.Analysis
		}
		line, err := strconv.Atoi(p[2])
		if err != nil {
			continue
		}
		column, err := strconv.Atoi(p[3])
		if err != nil {
			continue
		}
		m := remark.Remark{Compiler: remark.Rust, Kind: kind, Pass: p[4], Message: strings.TrimSpace(p[6]), Where: []remark.Position{{File: p[1], Line: line, Column: column}}}
		if callee, rest, ok := strings.Cut(m.Message, " will not be inlined into "); ok && m.Pass == "inline" {
			m.Callee = strings.Trim(callee, "'")
			m.Function, _, _ = strings.Cut(strings.TrimLeft(rest, "'"), "'")
		} else if callee, _, ok := strings.Cut(m.Message, "' not inlined into "); ok && m.Pass == "inline" {
			m.Callee = strings.Trim(callee, "'")
		}
		for _, n := range rustNames {
			if m.Name == "" && m.Pass == n.pass && strings.Contains(m.Message, n.words) {
				m.Name = n.name
			}
		}
		take(m)
	}
	return lines.Err()
}

// rustNames are LLVM's names of remarks by their sentences (LLVM 19 to 21).
var rustNames = []struct{ pass, words, name string }{
	{"licm", "because the loop may invalidate its value", "LoadWithLoopInvariantAddressInvalidated"},
	{"licm", "because load is conditionally executed", "LoadWithLoopInvariantAddressCondExecuted"},
	{"gvn", "because it is clobbered by", "LoadClobbered"},
	{"slp-vectorizer", "not beneficial", "NotBeneficial"},
	{"inline", "definition is unavailable", "NoDefinition"},
	{"inline", "because too costly", "TooCostly"},
	{"inline", "it should never be inlined", "NeverInline"},
}

var errShape = errors.New("not gcc's optimisation record: a list of the generator, the passes and the records")
