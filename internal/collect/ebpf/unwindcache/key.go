package unwindcache

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"runtime/debug"
	"strings"
	"sync"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
)

// Key is what the tables of one binary are found by.
type Key struct {
	name string // of the file
	sum  [sha256.Size]byte
}

const (
	// pieceBytes is how much of a section is read at a time.
	pieceBytes = 64 << 10
	// entryCode is how much code at the entry point the profiler looks at.
	entryCode = 128
	// nameSum is how much of the hash is in the name of an entry.
	nameSum = 16
)

// sections are those that tables are made of.
var sections = []string{".eh_frame", ".debug_frame", ".gopclntab"}

// keyOf says what the tables of a file are found by. ok is false for files whose
// tables are made of something else, too: those without section headers, and Go
// programs without a section for their table of functions.
func keyOf(file *pfelf.File) (key Key, ok bool) {
	if file.InsideCore || file.Section(".eh_frame") == nil && file.Section(".gopclntab") == nil ||
		file.Section(".go.buildinfo") != nil && file.Section(".gopclntab") == nil {
		return key, false
	}
	buildID, _ := file.GetBuildID()     // "" where there is none
	goBuildID, _ := file.GetGoBuildID() // likewise
	names, _ := file.DynString(elf.DT_SONAME)
	h := sha256.New()
	put(h, []byte(magic+profilerVersion()), []byte(buildID), []byte(goBuildID), []byte(strings.Join(names, " ")))
	number(h, uint64(file.Machine), file.Entry)
	code, _ := file.VirtualMemory(int64(file.Entry), entryCode, entryCode) // nil where there is none
	put(h, code)
	piece := make([]byte, pieceBytes)
	for _, name := range sections {
		s := file.Section(name)
		if s == nil {
			put(h, nil)
			continue
		}
		if s.Type == elf.SHT_NOBITS {
			return key, false
		}
		number(h, s.Addr, s.FileSize)
		// Not s.Data, which maps it: what is mapped counts as this process's memory.
		n, err := io.CopyBuffer(h, io.NewSectionReader(file.Underlying(), int64(s.Offset), int64(s.FileSize)), piece)
		if err != nil || uint64(n) != s.FileSize {
			return key, false
		}
	}
	h.Sum(key.sum[:0])
	key.name = hex.EncodeToString(key.sum[:nameSum])
	if id := strings.ToLower(buildID); id != "" && len(id) <= 2*sha256.Size {
		key.name = id + "-" + key.name
	}
	return key, true
}

// put hashes pieces with their lengths, so that none can stand for two.
func put(h hash.Hash, pieces ...[]byte) {
	for _, p := range pieces {
		number(h, uint64(len(p)))
		h.Write(p)
	}
}

func number(h hash.Hash, values ...uint64) {
	for _, v := range values {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
}

// profilerVersion is that of the module that makes the tables.
var profilerVersion = sync.OnceValue(func() string {
	const module = "go.opentelemetry.io/ebpf-profiler"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path != module {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Version + " " + m.Sum
	}
	return ""
})
