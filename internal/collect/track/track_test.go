package track

import "testing"

func TestJoin(t *testing.T) {
	var tracks Tracks[string]
	tracks.Begin(7, 10, "select")
	tracks.End(7, 31)
	tracks.Begin(7, 30, "commit") // told late
	tracks.Begin(8, 5, "other")
	for _, x := range []struct {
		thread uint32
		at     int64
		want   string
	}{{7, 9, ""}, {7, 10, "select"}, {7, 25, "select"}, {7, 30, "commit"}, {7, 31, ""}, {7, 99, ""}, {8, 99, "other"}, {9, 99, ""}} {
		if got := tracks.At(x.thread, x.at); got != x.want {
			t.Errorf("thread %d at %d: %q, want %q", x.thread, x.at, got, x.want)
		}
	}
	tracks.EndAll(100)
	if got := tracks.At(8, 101); got != "" {
		t.Errorf("after all have ended: %q", got)
	}
	if got := tracks.At(8, 99); got != "other" {
		t.Errorf("before that: %q", got)
	}
}

func TestForget(t *testing.T) {
	var tracks Tracks[int]
	tracks.Begin(1, 10, 1)
	tracks.Begin(1, 20, 2)
	tracks.Begin(2, 10, 3)
	tracks.End(2, 15)
	tracks.Forget(25)
	if got := tracks.At(1, 30); got != 2 {
		t.Errorf("what goes on is %d", got)
	}
	if len(tracks.threads) != 1 || len(tracks.threads[1]) != 1 {
		t.Errorf("%v", tracks.threads)
	}
	for at := range int64(3 * mostKept) {
		tracks.Begin(3, at, int(at)+1)
	}
	if n := len(tracks.threads[3]); n > mostKept {
		t.Errorf("%d are kept", n)
	}
	if got := tracks.At(3, 3*mostKept-2); got != 3*mostKept-1 {
		t.Errorf("the last but one is %d", got)
	}
}
