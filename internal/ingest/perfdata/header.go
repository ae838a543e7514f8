package perfdata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	maxPreamble = 64 << 20  // attributes and IDs in front of the data section
	maxFeatures = 256 << 20 // feature sections behind it
	numFeatures = 256       // bits in the header
)

// fileSection is an offset and a size in the file.
type fileSection struct{ off, size uint64 }

func (c *cursor) fileSection() fileSection { return fileSection{off: c.u64(), size: c.u64()} }

// fileHeader is the 104-byte header of a seekable recording.
type fileHeader struct {
	attrSize    uint64
	attrs, data fileSection
	features    [numFeatures / 64]uint64
}

// checkMagic refuses what is not a little-endian perf.data of today.
func checkMagic(b []byte) error {
	switch string(b) {
	case magicFile:
		return nil
	case magicSwapped:
		return errors.New("this file was recorded on a big-endian machine, which is not supported; run `perf script` there and read its output")
	case magicOld:
		return errors.New("this file is of the first perf.data format (PERFFILE, before Linux 3.8), which is not supported; record again with a newer perf")
	}
	return fmt.Errorf("this is no perf.data file: it starts with %q, not with %q", b, magicFile)
}

// readHeader reads the header; nil means pipe mode, where everything comes as
// records.
func readHeader(src *source) (*fileHeader, error) {
	b, err := src.section(pipeHeaderSize, pipeHeaderSize, "the header")
	if err != nil {
		return nil, err
	}
	if err := checkMagic(b[:8]); err != nil {
		return nil, err
	}
	switch size := binary.LittleEndian.Uint64(b[8:]); size {
	case pipeHeaderSize:
		return nil, nil //nolint:nilnil // nil is the pipe mode, as documented
	case fileHeaderSize:
	default:
		return nil, fmt.Errorf("offset 0x8: the header says it has %d bytes; %d (file) and %d (pipe) are known", size, fileHeaderSize, pipeHeaderSize)
	}
	b, err = src.section(fileHeaderSize-pipeHeaderSize, fileHeaderSize, "the header")
	if err != nil {
		return nil, err
	}
	c := cursor{b: b}
	h := &fileHeader{attrSize: c.u64(), attrs: c.fileSection(), data: c.fileSection()}
	c.fileSection() // event types, long unused
	for i := range h.features {
		h.features[i] = c.u64()
	}
	return h, nil
}

// readPreamble reads everything up to the data section and the attributes in
// it.
func (h *fileHeader) readPreamble(src *source) ([]*event, error) {
	if h.data.off < fileHeaderSize || h.data.off > maxPreamble {
		return nil, fmt.Errorf("offset 0x28: the data section is said to start at %#x; the file is corrupt", h.data.off)
	}
	pre, err := src.section(h.data.off-fileHeaderSize, maxPreamble, "the event attributes")
	if err != nil {
		return nil, err
	}
	table, err := h.attrs.within(pre)
	if err != nil {
		return nil, fmt.Errorf("the event attributes: %w", err)
	}
	const idsSize = 16
	if h.attrSize < attrMinSize+idsSize || h.attrs.size%h.attrSize != 0 {
		return nil, fmt.Errorf("offset 0x10: %d bytes of attributes of %d bytes each; the file is corrupt", h.attrs.size, h.attrSize)
	}
	var events []*event
	for ; len(table) > 0; table = table[h.attrSize:] {
		e, err := parseAttr(table[:h.attrSize-idsSize])
		if err != nil {
			return nil, err
		}
		c := cursor{b: table[h.attrSize-idsSize : h.attrSize]}
		ids, err := c.fileSection().within(pre)
		if err != nil {
			return nil, fmt.Errorf("the IDs of event %q: %w", e.name, err)
		}
		e.ids = words(ids)
		events = append(events, e)
	}
	return events, nil
}

// within cuts a section out of pre, the bytes between header and data.
func (f fileSection) within(pre []byte) ([]byte, error) {
	if f.size == 0 {
		return nil, nil
	}
	start := f.off - fileHeaderSize
	if f.off < fileHeaderSize || start > uint64(len(pre)) || f.size > uint64(len(pre))-start {
		return nil, fmt.Errorf("section of %d bytes at offset %#x lies outside the part of the file in front of the data; the file is corrupt", f.size, f.off)
	}
	return pre[start : start+f.size], nil
}

func words(b []byte) []uint64 {
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return out
}

// featureAt is one feature section.
type featureAt struct {
	id   int
	sect fileSection
}

// featureTable parses the table of feature sections, which stands right behind
// the data: one entry for each bit that is set.
func (h *fileHeader) featureTable(b []byte) []featureAt {
	c := cursor{b: b}
	var out []featureAt
	for id := range numFeatures {
		if h.features[id/64]>>(id%64)&1 == 0 {
			continue
		}
		s := c.fileSection()
		if c.short {
			break
		}
		out = append(out, featureAt{id, s})
	}
	return out
}

// readFeaturesAt reads the features of a seekable file that starts at start.
func (h *fileHeader) readFeaturesAt(r io.ReadSeeker, start int64, handle func(id int, data []byte) error) error {
	if h.data.size == 0 {
		return nil // the recorder was killed before it wrote them
	}
	if _, err := r.Seek(start+int64(h.data.off+h.data.size), io.SeekStart); err != nil {
		return err
	}
	return h.readFeatures(newSource(r), handle)
}

// readFeatures reads the features from a stream that stands behind the data.
func (h *fileHeader) readFeatures(src *source, handle func(id int, data []byte) error) error {
	src.off = int64(h.data.off + h.data.size)
	base := uint64(src.off)
	rest, err := io.ReadAll(io.LimitReader(src.br, maxFeatures))
	if err != nil {
		return err
	}
	for _, f := range h.featureTable(rest) {
		start := f.sect.off - base
		if f.sect.off < base || start > uint64(len(rest)) || f.sect.size > uint64(len(rest))-start {
			return fmt.Errorf("header feature %d (%d bytes at offset %#x): %w", f.id, f.sect.size, f.sect.off, errTruncated)
		}
		if err := handle(f.id, rest[start:start+f.sect.size]); err != nil {
			return fmt.Errorf("header feature %d at offset %#x: %w", f.id, f.sect.off, err)
		}
	}
	return nil
}
