package growth

import (
	"testing"

	"whyhot/internal/profile"
)

// one is a profile of stacks with their counts.
func one(costs ...cost) *profile.Profile {
	b := profile.NewBuilder()
	for _, c := range costs {
		b.Sample(profile.Sample{Stack: b.Stack(locations(b, c.frames)), Count: int64(c.grown), Value: int64(c.grown)})
	}
	return b.Build(profile.Meta{})
}

func TestSearchesOfLists(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("unique", 41)}
	search := append(main[:3:3], native("list_contains"), native("PyObject_RichCompare"), native("memcmp"))
	got := Searches(one(cost{0, 300, 0, search}, cost{0, 700, 0, main}))
	if len(got) != 1 || got[0].Place != (Place{"unique", "report.py", 41}) || got[0].Name != "list_contains" || got[0].Share != 0.3 || got[0].Cure == "" {
		t.Fatalf("%+v", got)
	}
	if len(got[0].Callers) != 1 || got[0].Callers[0].Line != 60 {
		t.Errorf("%+v", got[0].Callers)
	}
	text := append(main[:3:3], native("PyUnicode_Find"), native("memchr"))
	short := append(main[:3:3], native("list_contains"))
	if got := Searches(one(cost{0, 300, 0, text}, cost{0, 700, 0, main}, cost{0, 60, 0, short})); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
