package growth

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

func TestJudge(t *testing.T) {
	main := []frame{native("Py_BytesMain"), py("<module>", 60), py("unique", 41)}
	search := append(main[:3:3], native("list_contains"), native("PyObject_RichCompare"), native("memcmp"))
	a, err := Judge(t.Context(), judge.Subject{Profile: one(cost{0, 300, 0, search}, cost{0, 700, 0, main[:2]})})
	if err != nil || len(a.Found) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	f := a.Found[0]
	if f.Rule != RuleListSearch || f.Place.Line != 41 || f.Share.Main() != 0.3 || f.Gain.NoEstimate || f.Gain.High < 0.3 || !f.Removes || !strings.Contains(f.Title, "the whole list (report.py:41)") {
		t.Errorf("%+v", f)
	}
	// What the line does besides stays: the estimate is the share, less a remainder.
	if g := f.Estimate(); g == nil || g.Likely < 0.2 || g.Likely > 0.31 || g.Low < 0.1 || g.High > 0.7 || !slices.Equal(f.Samples, []int32{0}) {
		t.Errorf("%+v of samples %v", f.Gain, f.Samples)
	}
	if len(f.Fix.Steps) != 1 || !strings.Contains(f.Fix.Steps[0], "set") {
		t.Errorf("advises %q", f.Fix.Steps)
	}
	// The line is not in the identity: an edit elsewhere moves it.
	main[2].line++
	b, err := Judge(t.Context(), judge.Subject{Profile: one(cost{0, 300, 0, append(main[:3:3], native("list_contains"))}, cost{0, 700, 0, main[:2]})})
	if err != nil || len(b.Found) != 1 || b.Found[0].ID != f.ID {
		t.Errorf("%+v, %v", b, err)
	}
}

// What goes through a container keeps its own samples where its line does other work, too: by them the
// finding meets an entry that knows the operation by name.
func TestSamplesOfWhatGoesThroughAContainer(t *testing.T) {
	net := func(name, file string) frame { return frame{name: name, file: file, kind: profile.KindDotNet} }
	main := []frame{net("Stock.Program.Main", "/src/app.cs"), net("Stock.Reconciler.Book", "/src/app.cs")}
	search := append(main[:2:2], net("System.Linq.Enumerable.FirstOrDefault[T](System.Func)", ""), net("System.Collections.Generic.List`1.Enumerator.MoveNext", ""))
	copied := append(main[:2:2], native("memcpy"))
	other := append(main[:1:1], net("Stock.Reader.Read", "/src/app.cs"))
	a, err := Judge(t.Context(), judge.Subject{Profile: one(cost{0, 300, 0, search}, cost{0, 20, 0, copied}, cost{0, 680, 0, other})})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.Found, func(f judge.Found) bool { return f.Rule == RuleListSearch })
	if i < 0 || !slices.Equal(a.Found[i].Samples, []int32{0, 1}) {
		t.Errorf("%+v", a.Found)
	}
}
