package growth

import (
	"testing"

	"whyhot/internal/profile"
)

// sorts is a recording in slices of 10 ms of one thread: S is sorting, o other work, b both,
// and a P is two threads at once, of which one sorts.
func sorts(slices string) *profile.Profile {
	return sortsBy(slices, frame{name: "msort_with_tmp", binary: "/usr/lib/libc.so.6", kind: profile.KindNative}, own("before", 5))
}

// sortsBy is sorts with other functions that sort.
func sortsBy(slices string, sorting ...frame) *profile.Profile {
	b := profile.NewBuilder()
	begin := []frame{own("main", 9), own("next", 23)}
	sort := b.Stack(locations(b, append(begin[:2:2], sorting...)))
	other := b.Stack(locations(b, begin[:1]))
	labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelThread, Str: "app"}})
	const length, ms = 10_000_000, 1_000_000
	for i, kind := range slices {
		add := func(stack profile.StackID, n int64) {
			b.Sample(profile.Sample{Stack: stack, Labels: labels, Time: 1 + int64(i)*length, Count: n, Value: n * ms})
		}
		switch kind {
		case 'S':
			add(sort, 10)
		case 'o':
			add(other, 10)
		case 'b':
			add(sort, 8)
			add(other, 2)
		case 'P':
			add(sort, 10)
			add(other, 10)
		}
	}
	return b.Build(profile.Meta{})
}

func repeat(s string, n int) (out string) {
	for range n {
		out += s
	}
	return out
}

func TestAListThatIsSortedAgainAndAgain(t *testing.T) {
	for name, x := range map[string]struct {
		slices string
		turns  int
	}{
		"within each slice":     {repeat("b", 50), 50},
		"longer than a slice":   {repeat("SSSo", 30), 29},
		"once":                  {repeat("o", 40) + repeat("S", 60) + repeat("o", 20), 0},
		"a few times":           {repeat("SSSSSo", 10), 0},
		"little of the whole":   {repeat("bobooo"+repeat("o", 10), 30), 0},
		"beside another thread": {repeat("P", 60), 0},
		"hardly anything else":  {repeat(repeat("S", 60)+"o", 30), 0},
	} {
		got := resorts(newFrames(sorts(x.slices)))
		if x.turns == 0 {
			if len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Turns != x.turns || got[0].Function != "next" || got[0].Line != 23 || len(got[0].Samples) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := resorts(newFrames(sorts(repeat("b", 50)).Retold(func(*profile.Sample) ([]profile.Label, int64, bool) { return nil, 0, true }))); len(got) != 0 {
		t.Errorf("without times: %+v", got)
	}
}

// V8 sorts keys that are numbers by std::sort, whoever asks for the keys of an object.
func TestSortingInsideOfV8(t *testing.T) {
	native := func(name string) frame {
		return frame{name: name, binary: "/usr/bin/node", kind: profile.KindNative}
	}
	script := frame{name: "touch", file: "/me/a.js", line: 16, kind: profile.KindJS}
	for name, x := range map[string]struct {
		sorting []frame
		want    int
	}{
		"keys of an object": {[]frame{script, native("v8::internal::KeyAccumulator::GetKeys"), native("std::__introsort_loop<v8::internal::AtomicSlot>")}, 0},
		"an array":          {[]frame{script, native("Builtins_ArrayTimSort")}, 1},
		"a typed array":     {[]frame{script, native("v8::internal::Runtime_TypedArraySortFast"), native("std::__introsort_loop<double*>")}, 1},
	} {
		if got := resorts(newFrames(sortsBy(repeat("b", 50), x.sorting...))); len(got) != x.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
