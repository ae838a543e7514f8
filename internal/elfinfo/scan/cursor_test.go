package scan

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

func TestLEB128(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 9)
	for _, c := range []struct {
		data []byte
		u    uint64
		s    int64
		uBad bool
		sBad bool
	}{
		// From DWARF 5, figures 1 and 2 of chapter 7.6.
		{data: []byte{2}, u: 2, s: 2},
		{data: []byte{0x7f}, u: 127, s: -1},
		{data: []byte{0x80, 1}, u: 128, s: 128},
		{data: []byte{0xff, 0}, u: 127, s: 127},
		{data: []byte{0x81, 1}, u: 129, s: 129},
		{data: []byte{0x80, 0x7f}, u: 16256, s: -128},
		{data: []byte{0xe5, 0x8e, 0x26}, u: 624485, s: 624485},
		{data: []byte{0xc0, 0xbb, 0x78}, u: 1973696, s: -123456},
		// As long as can be, and padded.
		{data: append(bytes.Clone(ones), 1), u: math.MaxUint64, sBad: true},
		{data: append(bytes.Clone(ones), 0), u: math.MaxInt64, s: math.MaxInt64},
		{data: append(bytes.Repeat([]byte{0x80}, 9), 0x7f), uBad: true, s: math.MinInt64},
		{data: append(append(bytes.Clone(ones), 0x81), 0), u: math.MaxUint64, sBad: true},
		{data: append(bytes.Repeat([]byte{0x80}, 20), 0), u: 0, s: 0},
		{data: append(bytes.Repeat([]byte{0xff}, 20), 0x7f), uBad: true, s: -1},
		// Too large, and cut.
		{data: append(bytes.Clone(ones), 2), uBad: true, sBad: true},
		{data: append(bytes.Repeat([]byte{0x80}, 10), 1), uBad: true, sBad: true},
		{data: []byte{0x80}, uBad: true, sBad: true},
		{data: nil, uBad: true, sBad: true},
	} {
		u := Cursor{Data: c.data}
		if v := u.ULEB(); v != c.u || u.Bad != c.uBad || u.Pos != len(c.data) {
			t.Errorf("% x: %d, bad %v, at %d; want %d, bad %v", c.data, v, u.Bad, u.Pos, c.u, c.uBad)
		}
		over := Cursor{Data: c.data} // a size is none of its business
		if over.SkipLEB(); over.Pos != len(c.data) || over.Bad != (len(c.data) == 0 || c.data[len(c.data)-1] >= 0x80) {
			t.Errorf("% x passed over: bad %v, at %d", c.data, over.Bad, over.Pos)
		}
		s := Cursor{Data: c.data}
		if v := s.SLEB(); v != c.s || s.Bad != c.sBad || s.Pos != len(c.data) {
			t.Errorf("% x signed: %d, bad %v, at %d; want %d, bad %v", c.data, v, s.Bad, s.Pos, c.s, c.sBad)
		}
	}
}

func TestFixedSizes(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		big  bool
		read func(*Cursor) uint64
		want uint64
	}{
		{false, func(c *Cursor) uint64 { return uint64(c.U16()) }, 0x0201},
		{true, func(c *Cursor) uint64 { return uint64(c.U16()) }, 0x0102},
		{false, func(c *Cursor) uint64 { return uint64(c.U24()) }, 0x030201},
		{true, func(c *Cursor) uint64 { return uint64(c.U24()) }, 0x010203},
		{false, func(c *Cursor) uint64 { return c.Uint(4) }, 0x04030201},
		{true, func(c *Cursor) uint64 { return c.Uint(8) }, 0x0102030405060708},
	} {
		at := Cursor{Data: data, Big: c.big}
		if v := c.read(&at); v != c.want || at.Bad {
			t.Errorf("%#x, want %#x", v, c.want)
		}
	}
	if c := At(data, 9, false); !c.Bad || c.Left() {
		t.Errorf("a place behind the end: %+v", c)
	}
	c := At(data, 6, false)
	if v := c.U32(); v != 0 || !c.Bad || c.Left() {
		t.Errorf("past the end: %d, %+v", v, c)
	}
	c = Cursor{Data: []byte("ab\x00c")}
	if s := c.Str(); string(s) != "ab" || c.Pos != 3 {
		t.Errorf("%q, %+v", s, c)
	}
	if s := c.Str(); s != nil || !c.Bad {
		t.Errorf("a string that does not end: %q", s)
	}
}

// FuzzCursor reads LEB128 as arbitrary-precision arithmetic does, and never past
// the end.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{0xe5, 0x8e, 0x26})
	f.Add(append(bytes.Repeat([]byte{0xff}, 9), 0x7f))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for ; n < len(data) && data[n] >= 0x80; n++ {
		}
		whole := n < len(data)
		want := new(big.Int)
		for i := min(n, len(data)-1); i >= 0; i-- {
			want.Lsh(want, 7).Or(want, big.NewInt(int64(data[i]&0x7f)))
		}
		c := Cursor{Data: data}
		v := c.ULEB()
		if ok := whole && want.IsUint64(); c.Bad == ok || ok && (v != want.Uint64() || c.Pos != n+1) {
			t.Errorf("% x: %d, %+v, want %v", data, v, c, want)
		}
		if whole && data[n]&0x40 != 0 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(7*(n+1))))
		}
		c = Cursor{Data: data}
		s := c.SLEB()
		if ok := whole && want.IsInt64(); c.Bad == ok || ok && (s != want.Int64() || c.Pos != n+1) {
			t.Errorf("% x signed: %d, %+v, want %v", data, s, c, want)
		}
		c = Cursor{Data: data}
		if end, _ := c.UnitLength(); end < 0 || end > len(data) {
			t.Errorf("% x: a unit that ends at %d", data, end)
		}
		if len(data) >= 8 {
			c = Cursor{Data: data}
			if c.U64() != binary.LittleEndian.Uint64(data) {
				t.Error("eight bytes")
			}
		}
	})
}
