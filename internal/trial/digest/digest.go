package digest

import (
	"bufio"
	"bytes"
	"errors"
	"hash/maphash"
	"io"
)

// view is one way of looking at an output.
type view int

// The views. A line is compared without the width of its white space.
const (
	lines  view = iota // whole lines, in any order
	shapes             // lines with a placeholder for every word that has a digit
	words              // words, in any order
	places             // words at their place
	views
)

const (
	mostKeys  = 1 << 15 // different keys of a view; beyond them keys share buckets
	mostTexts = 2000    // lines kept to be shown
	textSize  = 160     // bytes of such a line
	lineSize  = 1 << 16 // longer lines are looked at in pieces
)

// Digest is what is kept of one output.
type Digest struct {
	Bytes int64 // without what carriage returns overwrite
	Lines int64
	Words int64

	wordBytes int64
	keys      [views]table
	texts     [][]byte // of the first lines
}

// tally is how often a key was seen, the bytes of words that it stands for without
// placeholders, and the line in which it came first.
type tally struct{ count, bytes, line uint32 }

var seed = maphash.MakeSeed()

// New reads an output.
func New(r io.Reader) (*Digest, error) {
	d := &Digest{}
	for v := range d.keys {
		d.keys[v].single = map[uint64]tally{}
	}
	in := bufio.NewReaderSize(r, lineSize)
	var s splitter
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			d.add(&s, line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return d, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// add counts a line.
func (d *Digest) add(s *splitter, line []byte) {
	line = shown(line)
	d.Bytes += int64(len(line)) + 1
	number := uint32(d.Lines) //nolint:gosec // beyond 4 billion lines, places repeat themselves
	d.Lines++
	if len(d.texts) < mostTexts {
		d.texts = append(d.texts, bytes.Clone(line[:min(len(line), textSize)]))
	}
	s.split(line)
	for i := range s.hashes {
		one := tally{1, uint32(s.kept[i]), number} //nolint:gosec // at most lineSize
		d.keys[words].add(s.hashes[i], one)
		d.keys[places].add(mix(mix(s.hashes[i], uint64(number)), uint64(i)), one) //nolint:gosec // an index
	}
	d.Words += int64(len(s.hashes))
	d.wordBytes += int64(s.text)
	d.keys[lines].add(maphash.Bytes(seed, s.line), tally{1, uint32(s.lineKept), number})    //nolint:gosec // same
	d.keys[shapes].add(maphash.Bytes(seed, s.shape), tally{1, uint32(s.shapeKept), number}) //nolint:gosec // same
}

// shown is what a terminal still shows of a line: a carriage return starts it
// anew, as progress bars do.
func shown(line []byte) []byte {
	line = bytes.TrimRight(line, "\r\n")
	return line[bytes.LastIndexByte(line, '\r')+1:]
}

func mix(h, with uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio
	h = (h ^ with) * odd
	return h ^ h>>32
}

// table counts the keys of a view: each by itself, or in buckets that keys share
// where there are many, so that an output of any length takes no more room. The
// buckets of two outputs with the same keys are still the same.
type table struct {
	single  map[uint64]tally
	buckets []tally // nil until there are many
}

func (t *table) add(key uint64, one tally) {
	if t.buckets != nil {
		t.buckets[key%mostKeys].add(one)
		return
	}
	n := t.single[key]
	n.add(one)
	t.single[key] = n
	if len(t.single) > mostKeys {
		t.fold()
	}
}

func (t *table) fold() {
	if t.buckets != nil {
		return
	}
	t.buckets = make([]tally, mostKeys)
	for key, n := range t.single {
		t.buckets[key%mostKeys].add(n)
	}
	t.single = nil
}

func (n *tally) add(more tally) {
	if n.count == 0 || more.line < n.line {
		n.line = more.line
	}
	n.count += more.count
	n.bytes += more.bytes
}

// all are the keys with their tallies.
func (t *table) all(yield func(key uint64, n tally) bool) {
	for key, n := range t.single {
		if !yield(key, n) {
			return
		}
	}
	for key, n := range t.buckets {
		if n.count > 0 && !yield(uint64(key), n) { //nolint:gosec // an index
			return
		}
	}
}

func (t *table) at(key uint64) (n tally, ok bool) {
	if t.buckets != nil {
		n = t.buckets[key]
		return n, n.count > 0
	}
	n, ok = t.single[key]
	return n, ok
}

// text is a line as it was, where it was kept.
func (d *Digest) text(line uint32) (string, bool) {
	if int(line) >= len(d.texts) {
		return "", false
	}
	return string(d.texts[line]), true
}
