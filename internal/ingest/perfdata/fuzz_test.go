package perfdata

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// FuzzRead reads anything. A profile that comes out holds together: every
// address lies in its mapping and no sample is lost on the way.
func FuzzRead(f *testing.F) {
	for _, fx := range fixtures {
		// Long inputs make the fuzzer slow; the tail of a file is its features.
		b := fixture(f, fx.name)
		f.Add(b[:min(len(b), 16<<10)])
	}
	f.Add(file([][]byte{clockAttr()}, commRec(3, 1, 0, "x"), mmapRec(3, 1, 0x1000, 0x1000, 0, "/a"), smpl(3, 2, 0x1010)))
	f.Add(file([][]byte{attr(typeSoftware, 0, 1000000, plainType|sampleCgroup, attrFlagSampleIDAll)},
		cgroupRec(7, 0, "/docker/"+dockerID), cgroupSample(3, 2, 7)))
	pipe := append([]byte(magicFile), binary.LittleEndian.AppendUint64(nil, pipeHeaderSize)...)
	pipe = append(pipe, rec(recHeaderAttr, 0, clockAttr(), uint64(1))...)
	pipe = append(pipe, smpl(3, 2, 0x1010)...)
	f.Add(pipe)
	f.Fuzz(func(t *testing.T, b []byte) {
		opts := Options{KeepIdle: len(b)%2 == 0, KeepTime: len(b)%3 == 0}
		p, err := Read(context.Background(), bytes.NewReader(b), opts)
		q, err2 := Read(context.Background(), io.MultiReader(bytes.NewReader(b)), opts)
		// What events are called stands at the end: a stream chooses without it.
		if err == nil && err2 == nil && p.Meta.ValueType == q.Meta.ValueType && !chose(p) && !chose(q) && p.Count() != q.Count() {
			t.Errorf("as a file %d samples, as a stream %d", p.Count(), q.Count())
		}
		if err != nil {
			return
		}
		if p.Count() <= 0 || len(p.Samples()) == 0 {
			t.Errorf("no error and no sample")
		}
		for _, s := range p.Samples() {
			for _, id := range p.Stack(s.Stack) {
				loc := p.Location(id)
				m := p.Mapping(loc.Mapping)
				if loc.Mapping != 0 && (loc.Address < m.Start || loc.Address >= m.Limit) {
					t.Fatalf("%#x is not in %+v", loc.Address, m)
				}
			}
		}
	})
}

// chose says that there were samples of other events.
func chose(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Meta.Warnings, func(w string) bool { return strings.HasPrefix(w, "only event ") })
}
