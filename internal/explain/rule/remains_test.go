package rule

import (
	"math"
	"testing"

	"whyhot/internal/explain/catalog"
)

// Another implementation writes as much; what is not called any more writes nothing. Page
// faults go with the old implementation's memory.
func TestWhatTheChangeLeavesIsNotInTheShare(t *testing.T) {
	const text = "app;main_[app];key_[app];vsnprintf_[libc.so.6] 200\n" +
		"app;main_[app];key_[app];vsnprintf_[libc.so.6];write_[libc.so.6];entry_SYSCALL_64_[k];ksys_write_[k];ext4_write_[k] 300\n" +
		"app;main_[app];key_[app];vsnprintf_[libc.so.6];asm_exc_page_fault_[k] 100\n" +
		"app;main_[app];work_[app] 400\n"
	for change, want := range map[string]float64{catalog.ChangeReplaced: 0.3, catalog.ChangeData: 0.3, catalog.ChangeRemoved: 0.6, catalog.ChangeIndirect: 0.6} {
		cat := only(t, "printf-text")
		cat.Entries[0].Reduction.Change = change
		fs := run(t, parse(t, text), cat, nil)
		if len(fs) != 1 || math.Abs(fs[0].Share.Main()-want) > 1e-9 {
			t.Errorf("%s: %+v, want a share of %v", change, fs, want)
		}
	}
}
