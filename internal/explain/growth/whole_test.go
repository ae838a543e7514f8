package growth

import "testing"

func TestWholeCopies(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("feed", 41)}
	for name, c := range map[string]struct {
		copying []frame
		share   float64
		found   bool
	}{
		"bytes":                    {[]frame{native("bytes_concat"), native("memcpy")}, 400, true},
		"a list, in a loop":        {[]frame{native("list_concat")}, 400, true},
		"little":                   {[]frame{native("bytes_concat"), native("memcpy")}, 200, false},
		"allocating for it":        {[]frame{native("bytes_concat"), native("malloc")}, 900, false},
		"a copy of another reason": {[]frame{native("buffer_read"), native("memcpy")}, 900, false},
	} {
		got := WholeCopies(one(cost{0, c.share, 0, append(main[:3:3], c.copying...)}, cost{0, 1000 - c.share, 0, main}))
		if (len(got) == 1) != c.found {
			t.Errorf("%s: %+v", name, got)
		} else if c.found && (got[0].Line != 41 || len(got[0].Samples) != 1 || got[0].Cure == "") {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
}
