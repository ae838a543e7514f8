package machine

import "testing"

// All binaries that could not be read are one note, the hottest first; small ones are left out.
func TestOneNoteForWhatIsMissing(t *testing.T) {
	got := notRead(map[string]int64{"/usr/lib/a.so": 30, "/usr/lib/b.so": 60, "/usr/lib/c.so": 1, "": 5}, 100)
	want := "machine code not analysed, since the file is missing here or has changed since the recording: b.so (60.0% of the CPU), a.so (30.0% of the CPU)"
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	if got := notRead(map[string]int64{"/usr/lib/c.so": 1}, 100); got != nil {
		t.Errorf("a note of %q", got)
	}
}
