package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxSection bounds what one section may take in memory once decompressed. The
// largest debug sections known (browsers with full debug info) stay below.
const maxSection = 8 << 30

// maxRatio is the most that deflate can pack; debug sections get to a tenth.
const maxRatio = 1032

// firstChunk is how much is set aside for a section before any of it has been
// decompressed: a header may claim anything.
const firstChunk = 16 << 20

var errCompressed = errors.New("damaged compression header")

func decompress(raw []byte, is64 bool, order binary.ByteOrder) ([]byte, error) {
	var typ elf.CompressionType
	var size uint64
	switch {
	case is64 && len(raw) >= 24:
		typ, size, raw = elf.CompressionType(order.Uint32(raw)), order.Uint64(raw[8:]), raw[24:]
	case !is64 && len(raw) >= 12:
		typ, size, raw = elf.CompressionType(order.Uint32(raw)), uint64(order.Uint32(raw[4:])), raw[12:]
	default:
		return nil, errCompressed
	}
	switch typ { //nolint:exhaustive // the rest are the bounds of reserved ranges
	case elf.COMPRESS_ZLIB:
		return inflate(raw, size)
	case elf.COMPRESS_ZSTD:
		r, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return readExactly(r, len(raw), size)
	default:
		return nil, fmt.Errorf("compression type %d is not known", typ)
	}
}

// decompressOld reads a .zdebug_ section: "ZLIB", the size as eight big-endian
// bytes, a zlib stream.
func decompressOld(raw []byte) ([]byte, error) {
	if len(raw) < 12 || string(raw[:4]) != "ZLIB" {
		return nil, errCompressed
	}
	return inflate(raw[12:], binary.BigEndian.Uint64(raw[4:]))
}

func inflate(raw []byte, size uint64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return readExactly(r, len(raw), size)
}

func readExactly(r io.Reader, packed int, size uint64) ([]byte, error) {
	if limit := min(uint64(maxSection), uint64(packed)*maxRatio+firstChunk); size > limit {
		return nil, fmt.Errorf("%d bytes that decompress to %d: over the limit of %d", packed, size, limit)
	}
	out := bytes.NewBuffer(make([]byte, 0, min(size, firstChunk)+bytes.MinRead))
	n, err := io.Copy(out, io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if uint64(n) != size {
		return nil, fmt.Errorf("decompress: %w: %d bytes where %d were announced", io.ErrUnexpectedEOF, n, size)
	}
	return out.Bytes(), nil
}
