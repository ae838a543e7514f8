package elfsym

import (
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("../../elfinfo/elffile/testdata/*.elf")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := elffile.New("fuzz", data)
		if err != nil {
			return
		}
		table, _ := Read(e)
		for _, s := range table.Symbols() {
			if s.Low >= s.High {
				continue
			}
			if _, ok := table.Find(s.Low); !ok {
				t.Fatalf("%+v is not found at its own address", s)
			}
		}
	})
}
