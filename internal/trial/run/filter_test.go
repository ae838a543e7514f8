package run

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestLinesAreWholeWhereverPiecesEnd(t *testing.T) {
	text := "first\nsecond line\n\nlast without end"
	for size := 1; size <= len(text); size++ {
		var seen []string
		var left bytes.Buffer
		w, flush := filtered(Spec{Filter: func(_ string, line []byte) []byte {
			seen = append(seen, string(line))
			return bytes.ReplaceAll(line, []byte("s"), nil)
		}}, Stdout, &left)
		for i := 0; i < len(text); i += size {
			if _, err := w.Write([]byte(text[i:min(i+size, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		flush()
		if len(seen) != 4 || strings.Join(seen, "") != text || left.String() != strings.ReplaceAll(text, "s", "") {
			t.Fatalf("pieces of %d: %q, left %q", size, seen, left.String())
		}
	}
}

func TestOutputWithoutLinesPassesInPieces(t *testing.T) {
	total, most := 0, 0
	w, flush := filtered(Spec{Filter: func(_ string, line []byte) []byte {
		most = max(most, len(line))
		total += len(line)
		return nil
	}}, Stdout, &bytes.Buffer{})
	chunk := bytes.Repeat([]byte("x"), 300_000)
	for range 20 {
		_, _ = w.Write(chunk)
	}
	flush()
	if total != 20*len(chunk) || most > longestLine {
		t.Errorf("%d bytes, at most %d at once", total, most)
	}
}

func TestFilteredOutputIsCompared(t *testing.T) {
	l := newLocal(t)
	drop := func(name string, line []byte) []byte {
		if name == Stderr || !bytes.HasPrefix(line, []byte("time ")) {
			return line
		}
		return nil
	}
	s := shell("echo time 1; echo same")
	s.Filter = drop
	first := mustRun(t, l, s)
	s.Args[2] = "echo time 22; echo same"
	if second := mustRun(t, l, s); !first.Stdout.Equal(second.Stdout) || second.Stdout.FirstDifference >= 0 {
		t.Errorf("%+v, %+v", first.Stdout, second.Stdout)
	}
	s.Args[2] = "echo time 22; echo sane"
	if third := mustRun(t, l, s); first.Stdout.Equal(third.Stdout) || third.Stdout.FirstDifference != 2 {
		t.Errorf("%+v", third.Stdout)
	}
}

// A full disk takes away where outputs differ, not whether they do.
func TestFullDiskStillCompares(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }()
	ref := &reference{file: full, whole: true}
	fill := newRecorder(Stdout, ref, true, false)
	_, _ = fill.Write([]byte("abc"))
	if fill.err != nil || ref.whole {
		t.Fatalf("error %v, whole %v", fill.err, ref.whole)
	}
	later := newRecorder(Stdout, ref, false, false)
	_, _ = later.Write([]byte("abd"))
	if later.err != nil || fill.output().Equal(later.output()) {
		t.Errorf("error %v, or equal", later.err)
	}
}
