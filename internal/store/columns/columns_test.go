package columns

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOf(rapid.Uint8()).Draw(t, "a")
		b := rapid.SliceOf(rapid.Uint32()).Draw(t, "b")
		c := rapid.SliceOf(rapid.Uint64()).Draw(t, "c")
		d := rapid.SliceOf(rapid.Int64()).Draw(t, "d")
		e := rapid.SliceOf(rapid.String()).Draw(t, "e")
		data := append(Append(nil, a, b, c, d, e), "rest"...)
		var (
			a2 []uint8
			b2 []uint32
			c2 []uint64
			d2 []int64
			e2 []string
		)
		rest, err := Read(data, &a2, &b2, &c2, &d2, &e2)
		if err != nil || string(rest) != "rest" {
			t.Fatalf("rest %q, %v", rest, err)
		}
		for _, pair := range [][2]any{{a, a2}, {b, b2}, {c, c2}, {d, d2}, {e, e2}} {
			x, y := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
			if x.Len() != y.Len() || x.Len() > 0 && !reflect.DeepEqual(pair[0], pair[1]) {
				t.Fatalf("%v became %v", pair[0], pair[1])
			}
		}
	})
}

func TestBad(t *testing.T) {
	good := Append(nil, []uint32{1, 300, math.MaxUint32}, []string{"ab", ""})
	var numbers []uint32
	var names []string
	for n := range good {
		if _, err := Read(good[:n], &numbers, &names); err == nil {
			t.Errorf("%d of %d bytes were taken", n, len(good))
		}
	}
	if _, err := Read(good, &names, &numbers); err == nil {
		t.Error("columns of another type were taken")
	}
	if _, err := Read(good, &numbers); err == nil {
		t.Error("too few columns were asked for, and no error")
	}
	if _, err := Read(Append(nil, []uint64{math.MaxUint32 + 1}), &numbers); err == nil {
		t.Error("a number of 33 bits was taken")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(Append(nil, []uint8{1}, []uint32{2}, []uint64{3}, []int64{-4}, []string{"five"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var (
			a []uint8
			b []uint32
			c []uint64
			d []int64
			e []string
		)
		if rest, err := Read(data, &a, &b, &c, &d, &e); err == nil && len(rest) > len(data) {
			t.Error("more is left than there was")
		}
	})
}
