package machine

import (
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// plain has the code of every mapping at its own address.
type plain struct{ judge.Facts }

func (plain) Code(_ *profile.Mapping, address uint64) (file *elffile.File, vaddr uint64, ok bool) {
	return nil, address, true
}

// A loop that waits for pages is no loop whose instructions cost.
func TestLoopsThatWaitForPages(t *testing.T) {
	for name, test := range map[string]struct {
		kernel string
		from   uint64
		weight int64
		want   bool
	}{
		"more in faults than in the loop": {"asm_exc_page_fault", 0x110, 30, true},
		"less":                            {"asm_exc_page_fault", 0x110, 5, false},
		"faults of other code":            {"asm_exc_page_fault", 0x900, 30, false},
		"another interrupt":               {"asm_sysvec_apic_timer_interrupt", 0x110, 30, false},
	} {
		b := profile.NewBuilder()
		app, kernel := b.Mapping(profile.Mapping{Path: "/bin/app"}), b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
		f := b.Function(profile.Function{Name: "fill", Mapping: app, Kind: profile.KindNative})
		k := b.Function(profile.Function{Name: test.kernel, Mapping: kernel, Kind: profile.KindKernel})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{
			b.Location(kernel, 0x1, profile.KindKernel, profile.Line{Function: k}),
			b.Location(app, test.from, profile.KindNative, profile.Line{Function: f}),
		}), Count: test.weight, Value: test.weight})
		p := b.Build(profile.Meta{})
		l := Loop{Mapping: &profile.Mapping{Path: "/bin/app"}, Ranges: [][2]uint64{{0x100, 0x120}}, Self: 10}
		if got := l.waitsForPages(p, plain{}); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
