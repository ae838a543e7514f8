package ebpf

import (
	"bytes"
	"testing"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/collect"
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

// TestFewerFramesAreVerifiedSooner counts what the verifier looks at.
func TestFewerFramesAreVerifiedSooner(t *testing.T) {
	usable(t.Context(), t)
	all, err := support.LoadCollectionSpec()
	if err != nil {
		t.Fatal(err)
	}
	const many = 15
	if err := all.Variables[framesVariable].Set(uint32(many)); err != nil {
		t.Fatal(err)
	}
	section := all.Variables[framesVariable].SectionName
	constants := all.Maps[section].Contents[0].Value.([]byte)
	copy(constants[all.Variables[framesVariable].Offset:], all.Variables[framesVariable].Value)
	maps := map[string]*ebpf.Map{}
	for name, spec := range all.Maps {
		if spec.MaxEntries == 0 {
			spec.MaxEntries = 4096 // the profiler sets it
		}
		m, err := ebpf.NewMap(spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer func() { _ = m.Close() }()
		maps[name] = m
	}
	verified := func(frames uint32) uint32 {
		fresh, err := itsPrograms()
		if err != nil {
			t.Fatal(err)
		}
		program, err := verifySlowest(fresh, maps, frames)
		if err != nil {
			t.Skipf("the verifier refuses it: %v", err)
		}
		defer func() { _ = program.Close() }()
		info, err := program.Info()
		if err != nil {
			t.Fatal(err)
		}
		n, known := info.VerifiedInstructions()
		if !known {
			t.Skip("this kernel does not tell")
		}
		return n
	}
	own, few := verified(0), verified(fewFrames)
	if few*4 > own*3 {
		t.Errorf("%d instructions verified with %d frames, %d with %d", few, fewFrames, own, many)
	}
	if same, done, err := withFrames(all, maps, many+1); err != nil || same[section] != maps[section] {
		t.Errorf("more frames than there were are set, %v", err)
	} else {
		done()
	}
	for frames, r := range map[uint32]collect.Request{
		fewFrames: {Target: collect.Target{System: true}},
		0:         {Target: collect.Target{Command: []string{"true"}}},
	} {
		if got := paceOf(&r, 97).pythonFrames; got != frames {
			t.Errorf("%+v: %d frames, want %d", r.Target, got, frames)
		}
	}
}
