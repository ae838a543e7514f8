package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Few bytes that hold many are not read to their end.
func TestWhatIsReadIsBounded(t *testing.T) {
	text := []byte(strings.Repeat(stacks, 10_000))
	const most = 100_000
	for name, data := range map[string][]byte{
		"plain": text, "gzip": gzipped(t, text), "zstd": zstded(t, text), "gzip in gzip": gzipped(t, gzipped(t, text)),
	} {
		if _, err := Read(t.Context(), bytes.NewReader(data), "it", Options{MaxBytes: most}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Read(t.Context(), bytes.NewReader(data), "it", Options{MaxBytes: int64(len(text))}); err != nil {
			t.Errorf("%s, within the bound: %v", name, err)
		}
	}
}

// Entries of two bytes are not read into tables of fifty bytes each without end.
func TestEntriesAreBounded(t *testing.T) {
	const most = 1000
	message := func(field byte, body string) string { return string([]byte{field<<3 | 2, byte(len(body))}) + body }
	sample := func(stack string) string { return message(2, message(1, stack)+message(2, "\x07")) }
	pprof := message(1, "\x08\x01\x10\x02") + message(6, "") + message(6, "samples") + message(6, "count") +
		message(4, "\x08\x01") + message(4, "\x08\x02\x18\x05") + sample("\x01")
	const speedscope = `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[`
	var samples, lines, frames strings.Builder
	ones := strings.NewReplacer("0", "\x01", "1", "\x02")
	for i := range 2 * most {
		samples.WriteString(sample(ones.Replace(fmt.Sprintf("%011b", i)))) // stacks of locations 1 and 2
		fmt.Fprintf(&lines, "f%d 1\n", i)
		frames.WriteString(strings.Repeat("f;", i) + "g 1\n")
	}
	for name, text := range map[string]string{
		"strings":       pprof + strings.Repeat(message(6, ""), most),
		"functions":     pprof + strings.Repeat(message(5, ""), most),
		"locations":     pprof + strings.Repeat(message(4, ""), most),
		"lines":         pprof + strings.Repeat(message(4, strings.Repeat(message(4, ""), 50)), most/50),
		"samples":       pprof + samples.String(),
		"folded lines":  lines.String(),
		"folded frames": frames.String(),
		"objects":       speedscope + strings.Repeat("{},", most) + "{}]}}",
		"numbers":       speedscope + strings.Repeat("1,", 8*most) + "1]}}",
		"perf script":   "sh 1 [0] 1.0: 1 cpu-clock:\n" + strings.Repeat("\t1 f (g)\n", most),
	} {
		if _, err := Read(t.Context(), strings.NewReader(text), "it", Options{MaxEntries: most}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Read(t.Context(), strings.NewReader(text), "it", Options{MaxEntries: 10 * most * most}); errors.Is(err, ErrTooLarge) {
			t.Errorf("%s, within the bound: %v", name, err)
		}
	}
}

// To read perf.data is to open the files that it names.
func TestSelfContained(t *testing.T) {
	recordings, err := filepath.Glob("perfdata/testdata/*.data*")
	if err != nil || len(recordings) == 0 {
		t.Fatalf("%v, %v", recordings, err)
	}
	data, err := os.ReadFile(recordings[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(t.Context(), bytes.NewReader(data), "it", Options{SelfContained: true})
	if err == nil || !strings.Contains(err.Error(), "perf.data is not taken") {
		t.Errorf("%v", err)
	}
	if _, err := Read(t.Context(), strings.NewReader(stacks), "it", Options{SelfContained: true}); err != nil {
		t.Error(err)
	}
}
