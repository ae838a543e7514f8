package ebpf

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/support"
)

func TestNamesAreExchanged(t *testing.T) {
	if got := exchange([]byte("x\x00ab\x00cd\x00abc\x00ab\x00"), "ab", "cd"); string(got) != "x\x00cd\x00ab\x00abc\x00cd\x00" {
		t.Errorf("got %q", got)
	}
	for _, object := range []string{"ab\x00", "cd\x00abc\x00", ""} {
		if exchange([]byte(object), "ab", "cd") != nil {
			t.Errorf("%q has not both names", object)
		}
	}
	if exchange([]byte("ab\x00c\x00"), "ab", "c") != nil {
		t.Error("names of two lengths")
	}
}

// TestSlowestProgramIsLeftOut fails when a version of the profiler has other programs:
// recording then begins a second later, and nothing else would tell.
func TestSlowestProgramIsLeftOut(t *testing.T) {
	whole, err := support.LoadCollectionSpec()
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(objectFile)
	left, err := withoutSlowest(func() error {
		spec, err := support.LoadCollectionSpec()
		if err != nil {
			return err
		}
		if got, most := len(spec.Programs[slowest].Instructions), len(whole.Programs[slowest].Instructions)/10; got > most {
			t.Errorf("what is loaded in its place has %d instructions", got)
		}
		return nil
	})
	if err != nil || !left {
		t.Errorf("left out: %v, %v", left, err)
	}
	if !bytes.Equal(before, objectFile) {
		t.Error("the object file is not what it was")
	}
}
