// Package report opens the reports of compilers: it finds out from the content which
// compiler wrote one, unwraps gzip, and calls the reader of that format.
//
// It takes files and directories that somebody names, and gives remarks. It must never
// judge a remark or run a compiler. LLVM's bitstream is read by who calls.
package report

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"whyhot/internal/ingest/remark"
	"whyhot/internal/ingest/remark/golang"
	"whyhot/internal/ingest/remark/jit"
	"whyhot/internal/ingest/remark/optrecord"
)

// A Format is recognised by the first bytes of a report, unpacked.
type format struct {
	name string
	is   func(head []byte) bool
	read func(r io.Reader, take func(remark.Remark)) error
}

var formats = []format{
	{"Go's JSON", golang.IsJSON, golang.ReadJSON},
	{"LLVM's YAML", optrecord.IsYAML, optrecord.ReadYAML},
	{"gcc's JSON", optrecord.IsGCC, optrecord.ReadGCC},
	{"HotSpot's log", jit.IsHotSpot, jit.ReadHotSpot},
	{"V8's log", jit.IsV8Log, jit.ReadV8Log},
	{"V8's CPU profile", jit.IsCPUProfile, jit.ReadCPUProfile},
	{"V8's --trace-deopt", jit.IsDeoptTrace, jit.ReadDeoptTrace},
	{"rustc's text", optrecord.IsRustText, optrecord.ReadRustText},
	{"Go's text", golang.IsText, golang.ReadText},
}

const known = "reports that are read: Go (-gcflags=-json=0,DIR, or the text of -gcflags='-m=2 -d=ssa/check_bce'), clang (-fsave-optimization-record, also =bitstream) and gcc (-fsave-optimization-record), rustc (-Cremark=all), V8 (--log-deopt --log-ic --log-code, --trace-deopt, .cpuprofile), HotSpot (-XX:+LogCompilation)"

// errUnknown is wrapped where no format fits.
var errUnknown = errors.New("not a compiler's report that is known")

// headSize is how much of a report its format is told by: texts of builds begin with
// other lines.
const headSize = 64 << 10

// Bitstream reads a file in LLVM's bitstream of remarks.
type Bitstream func(ctx context.Context, path string) ([]remark.Remark, error)

// Read reads all of what the paths name: files, and directories with everything in
// them. In a directory, what is no report is passed over.
func Read(ctx context.Context, bitstream Bitstream, paths ...string) ([]remark.Remark, error) {
	var out []remark.Remark
	take := func(m remark.Remark) { out = append(out, m) }
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := readFile(ctx, bitstream, path, take); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		n := 0
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			switch err := readFile(ctx, bitstream, file, take); {
			case errors.Is(err, errUnknown):
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", file, err)
			}
			n++
			return nil
		})
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("%s: no compiler's report in this directory; %s", path, known)
		}
	}
	return out, nil
}

func readFile(ctx context.Context, bitstream Bitstream, path string, take func(remark.Remark)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read from
	in := bufio.NewReaderSize(f, headSize)
	if head, _ := in.Peek(len(bitstreamMagic)); string(head) == bitstreamMagic {
		all, err := bitstream(ctx, path)
		if err != nil {
			return fmt.Errorf("LLVM's bitstream of remarks: %w", err)
		}
		for _, m := range all {
			take(m)
		}
		return nil
	}
	return From(in, take)
}

// bitstreamMagic begins files of -fsave-optimization-record=bitstream.
const bitstreamMagic = "RMRK"

// From reads one report of text.
func From(r io.Reader, take func(remark.Remark)) error {
	in := bufio.NewReaderSize(r, headSize)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		in = bufio.NewReaderSize(z, headSize)
	}
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return fmt.Errorf("%w: it is empty", errUnknown)
	}
	for _, f := range formats {
		if f.is(head) {
			if err := f.read(in, take); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%w; %s", errUnknown, known)
}
