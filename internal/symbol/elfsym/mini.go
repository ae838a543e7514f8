package elfsym

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"

	"whyhot/internal/elfinfo/elffile"
)

// maxMini bounds an unpacked mini debug info file: a symbol table of a large
// program is some tens of megabytes.
const maxMini = 128 << 20

// miniDebugInfo unpacks .gnu_debugdata: an xz-compressed ELF file that has only
// the symbols of local functions, as Fedora and its relatives ship it.
func miniDebugInfo(f *elffile.File) (*elffile.File, error) {
	data, err := f.Data(".gnu_debugdata")
	if err != nil || data == nil {
		return nil, err
	}
	r, err := xz.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: .gnu_debugdata: %w", f.Path(), err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxMini))
	if err != nil {
		return nil, fmt.Errorf("%s: .gnu_debugdata: %w", f.Path(), err)
	}
	return elffile.New(f.Path()+" (.gnu_debugdata)", plain)
}
