package ebpf

import (
	"testing"

	"github.com/cilium/ebpf/asm"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// TestNamedSubsAreKept fails when a version of the profiler has other instructions: most of
// Perl's subroutines have no frame then, and nothing else would tell.
func TestNamedSubsAreKept(t *testing.T) {
	all, err := support.LoadCollectionSpec()
	if err != nil {
		t.Fatal(err)
	}
	spec := all.Programs[perlProgram]
	before := slots(spec.Instructions)
	if !keepNamedSubs(spec.Instructions) {
		t.Fatal("the part that gives up was not found")
	}
	if after := slots(spec.Instructions); after != before {
		t.Errorf("%d slots became %d: jumps over them are wrong", before, after)
	}
	if keepNamedSubs(all.Programs[slowest].Instructions) {
		t.Error("found in the program for Python")
	}
	if keepNamedSubs(asm.Instructions{asm.And.Imm(asm.R1, cvNamed), asm.Return()}) {
		t.Error("found in two instructions")
	}
}

// An address that is marked is taken out before the profiler sees it.
func TestPerlFramesOfATrace(t *testing.T) {
	header := libpf.NewEbpfFrameHeader(libpf.PerlFrame, 0, 3, 0)
	trace := &libpf.EbpfTrace{FrameData: []uint64{header, 0x5000 | 1, 0x9000, header, 0x6000, 0x9100, header, 0, 0x9200}}
	got := perlsOf(nil, trace)
	if len(got) != 3 || got[0] != 0x5000 || got[1] != 0 || got[2] != 0 {
		t.Errorf("%#x", got)
	}
	if trace.FrameData[1] != 0 || trace.FrameData[4] != 0x6000 {
		t.Errorf("left in the trace: %#x", trace.FrameData)
	}
}
