package perfdata

import (
	"context"
	"fmt"
	"io"

	"whyhot/internal/profile"
)

// Options say what of a recording becomes the profile. The zero value is what
// most callers want.
type Options struct {
	// Event is the name of the event to read, as `perf evlist` prints it. Empty
	// means the first one that counts CPU time or cycles, else the first.
	Event string
	// Labels are the profile.Label… keys to keep. Nil means process, pid, thread
	// and container. Each distinct set is a row of its own, so fewer labels make
	// a smaller profile.
	Labels []string
	// Containers are the IDs of containers by process ID, for processes whose
	// container the recording itself does not tell (perf record --all-cgroups).
	Containers map[uint32]string
	// KeepIdle keeps the samples of the idle task (pid 0).
	KeepIdle bool
	// KeepTime keeps each sample's time; without it equal samples are merged.
	KeepTime bool
	// NoUnwind leaves recorded user stacks (--call-graph dwarf) alone: a sample
	// then has its kernel frames and the user instruction only.
	NoUnwind bool
	// DebugDirs are searched, before the usual places, for images by build ID
	// when a recorded user stack needs their unwind tables.
	DebugDirs []string
}

const (
	magicFile    = "PERFILE2" // little endian; also starts the 16-byte pipe header
	magicSwapped = "2ELIFREP"
	magicOld     = "PERFFILE"

	pipeHeaderSize = 16
	fileHeaderSize = 104
)

// Detect says whether head, the first bytes of a file, starts a perf.data file
// of any kind, one that Read refuses included.
func Detect(head []byte) bool {
	if len(head) < len(magicFile) {
		return false
	}
	switch string(head[:len(magicFile)]) {
	case magicFile, magicSwapped, magicOld:
		return true
	}
	return false
}

// Read reads one recording. Where r is also an io.ReadSeeker (an *os.File, a
// *bytes.Reader) the build-ID table at the end of the file is known before the
// first record, so that recorded stacks are unwound with images that are
// checked to be the recorded ones; r must then stand at the start of the
// recording.
//
// A recording whose end is missing (perf was killed, the copy is short) gives
// what is there and a warning in Meta.Warnings, if there is at least one
// sample. Everything else that is malformed is an error that names the file
// offset and the record.
func Read(ctx context.Context, r io.Reader, opts Options) (*profile.Profile, error) {
	s, err := newSession(r, opts)
	if err != nil {
		return nil, fmt.Errorf("perf.data: %w", err)
	}
	defer s.out.intern.end() // where an error has ended it
	if err := s.run(ctx, r); err != nil {
		return nil, fmt.Errorf("perf.data: %w", err)
	}
	p, err := s.finish()
	if err != nil {
		return nil, fmt.Errorf("perf.data: %w", err)
	}
	return p, nil
}
