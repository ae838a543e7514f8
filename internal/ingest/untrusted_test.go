package ingest

import (
	"bytes"
	"errors"
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
