package tenths

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSpread(t *testing.T) {
	for name, x := range map[string]struct {
		times bool
		of    []int32
		want  int
	}{
		"all through":   {true, []int32{50, 150, 250, 350, 450, 550, 650, 750, 850, 950}, 10},
		"at the start":  {true, []int32{0, 1, 2, 50, 90}, 1},
		"in one half":   {true, []int32{0, 120, 250, 330, 480}, 5},
		"without times": {false, []int32{0, 500}, -1},
	} {
		b := profile.NewBuilder()
		fn := b.Function(profile.Function{Name: "f"})
		stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: fn})})
		for i := range int64(1000) {
			s := profile.Sample{Stack: stack, Count: 1, Value: 1}
			if x.times {
				s.Time = 1 + i
			}
			b.Sample(s)
		}
		if got := New(b.Build(profile.Meta{})).Spread(x.of); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}
