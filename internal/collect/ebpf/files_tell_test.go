package ebpf

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/reporter"

	"whyhot/internal/collect"
)

// ownMapping is one of this process's own, of its program.
func ownMapping(t *testing.T) *process.RawMapping {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var start, end, offset, inode uint64
		var mode, device, path string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &start, &end, &mode, &offset, &device, &inode, &path); n == 7 && path == self {
			return &process.RawMapping{Vaddr: start, Length: end - start, Inode: inode, Path: path}
		}
	}
	t.Fatal("the program is not mapped")
	return nil
}

func TestBinariesWithSamplesAreTold(t *testing.T) {
	mapping := ownMapping(t)
	if f, err := os.Open(fmt.Sprintf("/proc/self/map_files/%x-%x", mapping.Vaddr, mapping.Vaddr+mapping.Length)); err != nil {
		t.Skipf("mapped files cannot be opened: %v", err)
	} else {
		_ = f.Close()
	}
	var told []collect.Executable
	again, want := true, true
	f := newFiles(&collect.Request{Settings: collect.Settings{Batch: time.Second}, Executable: func(e collect.Executable) bool {
		told = append(told, e)
		if file := e.File(); (file != nil) != want {
			t.Errorf("%s: file %v", e.Path, file)
		} else if file != nil {
			_ = file.Close()
		}
		return again
	}})
	defer f.close()
	f.most = 2
	meet := func(n uint64, buildID string) libpf.FileID {
		file := libpf.NewFrameMappingFile(libpf.FrameMappingFileData{FileID: libpf.NewFileID(n, n), GnuBuildID: buildID})
		f.ReportExecutable(&reporter.ExecutableMetadata{
			MappingFile: file, Mapping: mapping, Process: process.New(libpf.PID(os.Getpid()), libpf.PID(os.Getpid())),
		})
		return file.Value().FileID
	}
	first, second, nameless := meet(1, "0AB1"), meet(2, "0ab2"), meet(3, "")
	f.sampled(first, 7)
	f.sampled(first, 7)
	f.sampled(nameless, 7)
	if len(told) != 1 || told[0].BuildID != "0ab1" || told[0].Path != mapping.Path || told[0].PID != 7 {
		t.Fatalf("told %+v", told)
	}
	f.nextRound()
	want, again = false, false // the file was given away
	f.sampled(first, 8)
	f.nextRound()
	f.sampled(first, 8)
	if len(told) != 2 {
		t.Errorf("told %d times, after nobody wanted to know", len(told))
	}
	// The third to be opened displaces the first of those that are held.
	meet(4, "0ab4")
	fifth := meet(5, "0ab5")
	if len(f.held) != 2 {
		t.Errorf("%d files are held", len(f.held))
	}
	f.sampled(second, 9)
	want = true
	f.sampled(fifth, 9)
	if len(told) != 4 || len(f.held) != 1 {
		t.Errorf("%d told, %d held", len(told), len(f.held))
	}
}
