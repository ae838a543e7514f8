// Package loaded is a hash of what of a program or library gets into memory.
//
// It owns which parts of an ELF file those are: its allocated sections, without the build
// ID, which also covers debug information. It takes a path and gives a hash. It must never
// import another package of this module.
package loaded

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
)

// Sum is equal for two files that are loaded alike. A file that is no ELF is an error.
func Sum(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Name == ".note.gnu.build-id" || s.Name == ".note.go.buildid" {
			continue
		}
		_, _ = fmt.Fprintf(sum, "%s %x %x\n", s.Name, s.Addr, s.Size) // a hash takes everything
		if s.Type == elf.SHT_NOBITS {
			continue
		}
		if _, err := io.Copy(sum, s.Open()); err != nil {
			return "", fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
