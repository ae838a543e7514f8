package symbol

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/extract"
)

// Where code does not lie at its distance from the first segment, only program headers
// that kept their sizes tell where it is.
func TestOffsetsByTheDebugFileAlone(t *testing.T) {
	dir := t.TempDir()
	source, binary, debug := filepath.Join(dir, "p.c"), filepath.Join(dir, "p"), filepath.Join(dir, "p.debug")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "cc", "-no-pie", "-Wl,--build-id", "-Wl,-Ttext=0x900000", "-o", binary, source)
	data, err := os.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	st, err := data.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := extract.Open(data, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	e, err := extract.New(extract.Symbols, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(e.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(debug, content, 0o600); err != nil {
		t.Fatal(err)
	}
	bin, err := elffile.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close()
	alone, err := elffile.Open(debug)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	text := bin.Section(".text")
	if got, ok := debugVaddr(alone, text.Offset); !ok || got != text.Addr || text.Addr != 0x900000 {
		t.Errorf("offset %#x is at %#x (%v), want %#x", text.Offset, got, ok, text.Addr)
	}
}
