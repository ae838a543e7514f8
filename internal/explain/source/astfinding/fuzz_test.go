package astfinding

import (
	"encoding/json"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
)

// Whatever an answer holds, reading it ends in findings with a rule and a title.
func FuzzReply(f *testing.F) {
	for _, s := range []string{
		`{"matches":[{"rule":"alias-loop-condition","in_loop":true,"place":{"file":"a.cc","line":3,"end_line":5},"first":{"file":"a.cc","line":3},"location":"s.size()","written":{"declaration":"o","scope":"unit"}}]}`,
		`{"matches":[{"rule":"debug-stl","in_loop":true,"location":"_GLIBCXX_ASSERTIONS","sites":[{"function":"f"},{"where":{"file":"b.cc","line":1}}]}],"loops":3}`,
		`{"matches":[{"rule":"vector-bool","in_loop":true,"notes":[""]},{"rule":"","place":{"line":-1}}],"errors":[""],"rule_errors":["%s"]}`,
		`{"candidates":[{"groups":[[7]]}],"matches":null}`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r analyzer.Reply
		if json.Unmarshal(data, &r) != nil {
			return
		}
		outcomes := []analyzer.Outcome{{Unit: compdb.Unit{Directory: "/b", File: "/b/a.cc"}, Reply: r}}
		for _, x := range Join(nil, outcomes, Options{Suspected: true}) {
			if x.Rule == "" || x.Title == "" || x.ID == "" {
				t.Errorf("a finding without a name: %+v", x)
			}
		}
		Errors(outcomes)
		analyzer.Notes(outcomes)
	})
}
