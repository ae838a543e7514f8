package perfdata

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// With -record the fixtures are recorded anew, scrubbed of what is not theirs,
// and what perf script says of them is written beside them.
var recordFixtures = flag.Bool("record", false, "record the fixtures anew (needs perf and root)")

const workloadShell = "seq 1 20000 | sort -R | sort -n | md5sum"

// fixtures are the captures in testdata: name and how it is recorded.
var fixtures = []struct {
	name string
	args []string
	pipe bool
}{
	{name: "process", args: []string{"-F", "999", "-g", "sh", "-c", workloadShell}},
	{name: "system", args: []string{"-F", "499", "-a", "-g", "sh", "-c", workloadShell + "; dd if=/dev/zero of=f bs=64k count=600 conv=fsync 2>&1"}},
	{name: "buildid-mmap", args: []string{"--buildid-mmap", "-F", "499", "-g", "sh", "-c", workloadShell}},
	{name: "compressed", args: []string{"-z", "-F", "999", "-g", "sh", "-c", workloadShell}},
	{name: "pipe", args: []string{"-F", "999", "-g", "sh", "-c", workloadShell}, pipe: true},
	{name: "pipe-compressed", args: []string{"-z", "-F", "999", "-g", "sh", "-c", workloadShell}, pipe: true},
	{name: "dwarf", args: []string{"-F", "299", "--call-graph", "dwarf,2048", "sh", "-c", workloadShell}},
	{name: "system-dwarf", args: []string{"-F", "199", "-a", "--call-graph", "dwarf,2048", "sh", "-c", workloadShell + "; dd if=/dev/zero of=f bs=64k count=2000 conv=fsync 2>&1"}},
	{name: "events", args: []string{"-e", "page-faults", "-e", "context-switches", "-F", "999", "sh", "-c", workloadShell}},
}

func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".data.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// leaves counts samples by task and leaf.
func leaves(samples []sampleText) string {
	counts := map[string]int{}
	for _, s := range samples {
		who := s.who[:strings.LastIndexByte(s.who, ' ')]
		leaf := "-"
		if len(s.frames) > 0 {
			leaf = s.frames[0]
		}
		counts[who+" "+leaf]++
	}
	var lines []string
	for k, n := range counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", k, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestFixtures compares with what perf script said of each capture on the
// machine where it was made. From a file and from a stream it is the same.
func TestFixtures(t *testing.T) {
	for _, fx := range fixtures {
		t.Run(fx.name, func(t *testing.T) {
			if *recordFixtures {
				recordFixture(t, fx.name, fx.args, fx.pipe)
			}
			b := fixture(t, fx.name)
			want, err := os.ReadFile(filepath.Join("testdata", fx.name+".leaves"))
			if err != nil {
				t.Fatal(err)
			}
			events := []string{""}
			if fx.name == "events" {
				events = []string{"page-faults", "context-switches"}
			}
			for kind, open := range map[string]func() io.Reader{
				"file":   func() io.Reader { return bytes.NewReader(b) },
				"stream": func() io.Reader { return io.MultiReader(bytes.NewReader(b)) },
			} {
				var mine []sampleText
				for _, e := range events {
					p, err := Read(context.Background(), open(), Options{
						KeepTime: true, KeepIdle: true, Event: e,
						Labels: []string{profile.LabelThread, profile.LabelPID, profile.LabelTID},
					})
					if err != nil {
						t.Fatalf("%s: %v", kind, err)
					}
					mine = append(mine, ours(t, p, true)...)
					if len(p.Meta.Command) == 0 || p.Meta.Command[0] != "sh" {
						t.Errorf("%s: command %q", kind, p.Meta.Command)
					}
				}
				if fx.name == "events" {
					withinPage(mine)
				}
				if got := leaves(mine); got != string(want) {
					t.Errorf("%s: got\n%s\nwant\n%s", kind, got, want)
				}
			}
		})
	}
}

func recordFixture(t *testing.T, name string, args []string, pipe bool) {
	t.Helper()
	needPerf(t)
	dir := t.TempDir()
	out := name + ".data"
	if pipe {
		out = "-"
	}
	full := []string{"record", "-q", "-o", out}
	if !slices.Contains(args, "-e") {
		full = append(full, "-e", "cpu-clock")
	}
	cmd := exec.CommandContext(t.Context(), "perf", append(full, args...)...)
	cmd.Dir = dir
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	raw := stdout
	path := filepath.Join(dir, name+".data")
	if !pipe {
		if raw, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		raw = scrub(t, raw)
	} else if i := bytes.Index(raw, []byte(magicFile)); i > 0 {
		t.Fatal("the command wrote into the pipe")
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := perfScript(t, path)
	if name == "events" {
		withinPage(theirs)
	}
	if err := os.WriteFile(filepath.Join("testdata", name+".leaves"), []byte(leaves(theirs)), 0o600); err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
	zw.Write(raw)
	zw.Close()
	if z.Len() > 200_000 {
		t.Errorf("%s has %d bytes", name, z.Len())
	}
	if err := os.WriteFile(filepath.Join("testdata", name+".data.gz"), z.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

const featCompressed = 27 // perf script asks for it, we do not

// scrub drops from a recording what belongs to other programs of the machine,
// and all header features but those that are read.
func scrub(t *testing.T, b []byte) []byte {
	t.Helper()
	src := newSource(bytes.NewReader(b))
	h, err := readHeader(src)
	if err != nil {
		t.Fatal(err)
	}
	pre, err := src.section(h.data.off-fileHeaderSize, maxPreamble, "preamble")
	if err != nil {
		t.Fatal(err)
	}
	src.end = int64(h.data.off + h.data.size)
	keep := map[uint32]bool{0: true, noID: true}
	type whole struct {
		pid uint32
		b   []byte
	}
	var all []whole
	userland := map[uint32]bool{}
	for {
		r, err := src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		w := whole{noID, bytes.Clone(b[r.at:src.off])}
		c := cursor{b: r.body}
		switch r.typ {
		case recMmap, recMmap2, recFork, recExit:
			w.pid = c.u32()
			if r.typ == recMmap || r.typ == recMmap2 {
				userland[w.pid] = true
			}
		case recComm:
			w.pid = c.u32()
			c.u32()
			name := cString(c.b)
			if slices.Contains([]string{"sh", "seq", "sort", "md5sum", "dd"}, name) && r.misc&miscCommExec != 0 {
				keep[w.pid] = true
			}
		case recSample:
			e := &event{sampleType: sampleIP | sampleTID}
			s, _ := e.parseSample(r.body)
			w.pid = s.pid
		}
		all = append(all, w)
	}
	var data []byte
	for _, w := range all {
		if keep[w.pid] || !userland[w.pid] {
			data = append(data, w.b...)
		}
	}
	var table, sections []byte
	var features [4]uint64
	kept := map[int][]byte{}
	err = h.readFeatures(src, func(id int, data []byte) error {
		switch id {
		case featBuildID:
			kept[id] = scrubBuildIDs(data)
		case featCmdline, featEventDesc, featCompressed:
			kept[id] = bytes.Clone(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at := h.data.off + uint64(len(data)) + uint64(len(kept))*16
	for id := range numFeatures {
		if sec, ok := kept[id]; ok {
			features[id/64] |= 1 << (id % 64)
			table = append(table, le(at+uint64(len(sections)), uint64(len(sec)))...)
			sections = append(sections, sec...)
		}
	}
	head := le([]byte(magicFile), uint64(fileHeaderSize), h.attrSize, h.attrs.off, h.attrs.size, h.data.off, uint64(len(data)),
		uint64(0), uint64(0), features[:])
	return bytes.Join([][]byte{head, pre, data, table, sections}, nil)
}

func scrubBuildIDs(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		_, _, size := parseHeader(b)
		name := cString(b[36:size])
		if strings.HasPrefix(name, "[") || strings.HasPrefix(name, "/usr/") {
			out = append(out, b[:size]...)
		}
		b = b[size:]
	}
	return out
}
