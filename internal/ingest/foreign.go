package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Readable lists what Open reads, for messages.
const Readable = "pprof (also gperftools' CPU profiles), perf.data, the text of perf script, folded stacks (FlameGraph, py-spy -f raw, async-profiler, rbspy, austin, bcc), V8's .cpuprofile, OpenTelemetry profiles (OTLP), and speedscope's JSON; each also as .gz or .zst"

// signature is a file type that is known and not read, and what to do instead.
type signature struct {
	magic  string
	offset int
	advice string
}

var signatures = []signature{
	{"\x7fELF", 0, "this is an ELF binary, not a profile; record one with: whyhot record -- PROGRAM"},
	{"FLR\x00", 0, "this is a Java Flight Recorder file; convert it with async-profiler's converter: jfrconv --cpu -o collapsed IN.jfr OUT.folded"},
	{"Nettrace", 0, "this is a .NET trace (nettrace); convert it with: dotnet-trace convert --format Speedscope"},
	{"MDMP", 0, "this is a Windows minidump, not a profile"},
	{"BZh", 0, "bzip2-compressed; decompress it first (bunzip2)"},
	{"\xfd7zXZ\x00", 0, "xz-compressed; decompress it first (unxz)"},
	{"\x04\x22\x4d\x18", 0, "lz4-compressed; decompress it first (lz4 -d)"},
	{"PK\x03\x04", 0, "this is a zip archive; unpack it and give the profile in it"},
	{"ustar", 257, "this is a tar archive; unpack it and give the profile in it"},
	{"SQLite format 3\x00", 0, "this is an SQLite database (Nsight Systems and others export such); export the CPU samples as folded stacks or pprof"},
	{"\x89PNG", 0, "this is a PNG picture, not a profile"},
	{"\xff\xfe", 0, "this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8 FILE"},
	{"\xfe\xff", 0, "this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8 FILE"},
	{"# callgrind format", 0, callgrind},
	{"version: 1\ncreator: callgrind", 0, callgrind},
	{"events: ", 0, callgrind},
	{"<?xml", 0, "this is XML, not a profile"},
	{"<svg", 0, flamegraph},
	{"<!DOCTYPE html", 0, html},
	{"<!doctype html", 0, html},
	{"<html", 0, html},
}

const (
	callgrind  = "this is callgrind output, which counts instructions exactly instead of sampling; record with: whyhot record -- PROGRAM"
	html       = "this is an HTML page, not a profile; give the data that it was made from"
	flamegraph = "this is an SVG picture; give the folded stacks that the flame graph was made from (py-spy: record -f raw)"
)

var goTrace = regexp.MustCompile(`^go 1\.\d+ trace\x00`)

// foreign names a file type that is recognised but not read. It is empty for
// text that could be folded stacks.
func foreign(head []byte) string {
	if bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("<svg")) {
		return flamegraph
	}
	for _, s := range signatures {
		if len(head) >= s.offset && bytes.HasPrefix(head[s.offset:], []byte(s.magic)) {
			return s.advice
		}
	}
	if goTrace.Match(head) {
		return "this is a Go execution trace; take a CPU profile instead, or: go tool trace -pprof=sched FILE"
	}
	if !isText(head) {
		return fmt.Sprintf("unknown binary file (it starts with % x); whyhot reads %s", head[:min(16, len(head))], Readable)
	}
	return ""
}

// jsonDocument is the start of a JSON object or array of objects; "" when head
// is something else. Stacks may start with "[thread tid=1]" or "{lambda()#1}".
func jsonDocument(head []byte) string {
	text := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	inner := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("[")), " \t\r\n")
	key, object := bytes.CutPrefix(inner, []byte("{"))
	key = bytes.TrimLeft(key, " \t\r\n")
	if !object || len(key) == 0 || key[0] != '"' && key[0] != '}' {
		return ""
	}
	return string(text)
}

// foreignJSON names the JSON formats that are recognised but not read.
func foreignJSON(text string) string {
	has := func(key string) bool { return strings.Contains(text, `"`+key+`"`) }
	switch {
	case has("traceEvents"), has("ph") && has("ts"):
		return "this is a Chrome trace (JSON); whyhot needs samples: save a .cpuprofile, or record with node --cpu-prof"
	case has("meta") && (has("threads") || has("libs")), has("preprocessedProfileVersion"):
		return "this is a Firefox Profiler file (JSON); samply and others also write perf.data or pprof, which whyhot reads"
	}
	return "this is JSON that holds no profile known to whyhot, which reads " + Readable
}

// isText accepts UTF-8 and other text without control bytes.
func isText(head []byte) bool {
	control, invalid := 0, 0
	for b := head; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == 0:
			return false
		case r == utf8.RuneError && n == 1:
			invalid++
		case r < 0x20 && !strings.ContainsRune("\t\n\r\f\x1b", r):
			control++
		}
		b = b[n:]
	}
	return control*50 <= len(head) && invalid*10 <= len(head)
}

// unknownText is the error for text of which line is no stack.
func unknownText(line int, text string) error {
	if line == 0 {
		return errors.New("the file holds only blank lines and comments; whyhot reads " + Readable)
	}
	return fmt.Errorf("unknown text file: line %d is no folded stack (\"frame;frame;… COUNT\"): %s; whyhot reads %s", line, text, Readable)
}
