package pprof

import (
	"bytes"
	"testing"
	"time"

	"whyhot/internal/profile"
)

// Waits are rows of their own: they do not change what a profile says of the CPU, and can be asked
// for by the name of their values.
func TestWaitsAreKept(t *testing.T) {
	b := profile.NewBuilder()
	stack := func(name string) profile.StackID {
		fn := b.Function(profile.Function{Name: name})
		return b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})})
	}
	thread := b.Labels([]profile.Label{{Key: profile.LabelTID, Num: 8}})
	b.Sample(profile.Sample{Stack: stack("burn"), Count: 3, Value: 30})
	b.Wait(profile.Sample{Stack: stack("nap"), Labels: thread, Count: 2, Value: int64(time.Second)})
	b.Wait(profile.Sample{Stack: stack("nap"), Labels: thread, Count: 1, Value: int64(time.Second)})
	b.Wait(profile.Sample{Stack: stack("burn"), Count: 1, Value: 7})
	var out bytes.Buffer
	if err := WriteUncompressed(&out, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})); err != nil {
		t.Fatal(err)
	}
	named := func(p *profile.Profile, s profile.Sample) string {
		return p.Function(p.Lines(p.Stack(s.Stack)[0])[0].Function).Name
	}
	p := readBytes(t, out.Bytes(), Options{})
	if len(p.Samples()) != 1 || p.Total() != 30 || p.Count() != 3 || p.Meta.ValueType.Type != "cpu" {
		t.Errorf("%+v of %+v", p.Samples(), p.Meta.ValueType)
	}
	if w := p.Waits(); len(w) != 2 || named(p, w[0]) != "nap" || w[0].Count != 3 || w[0].Value != 2*int64(time.Second) || w[1].Value != 7 {
		t.Errorf("%+v", w)
	}
	if tid, _ := p.Label(p.Waits()[0].Labels, profile.LabelTID); tid.Num != 8 {
		t.Errorf("thread %d", tid.Num)
	}
	off := readBytes(t, out.Bytes(), Options{SampleType: "off_cpu"})
	if len(off.Samples()) != 2 || off.Total() != 2*int64(time.Second)+7 || off.Count() != 4 || len(off.Waits()) != 0 {
		t.Errorf("%+v", off.Samples())
	}
	var again bytes.Buffer
	if err := WriteUncompressed(&again, p); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), out.Bytes()) {
		t.Error("written again, it is another file")
	}
}
