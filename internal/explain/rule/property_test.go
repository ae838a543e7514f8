package rule

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/finding"
)

// Whatever the profile, a finding's numbers stay fractions of it, and the run
// does not depend on anything but its input.
func TestFindingsStayWithinTheProfile(t *testing.T) {
	cat := builtin(t)
	var frames []string
	for i := range cat.Entries {
		for _, test := range cat.Entries[i].Tests {
			for line := range strings.Lines(test.Profile) {
				stack, _, ok := cutLast(strings.TrimSpace(line))
				if ok {
					frames = append(frames, strings.Split(stack, ";")[1:]...)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "stacks") {
			stack := rapid.SliceOfN(rapid.SampledFrom(frames), 1, 8).Draw(t, "stack")
			fmt.Fprintf(&text, "%s;main_[app];%s %d\n", rapid.SampledFrom([]string{"app", "db"}).Draw(t, "thread"),
				strings.Join(stack, ";"), rapid.IntRange(1, 4000).Draw(t, "count"))
		}
		p := parse2(t, text.String())
		first, _, err := Run(t.Context(), p, cat, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Run(t.Context(), p, cat, nil, Options{})
		if err != nil || fmt.Sprintf("%+v", plain(first)) != fmt.Sprintf("%+v", plain(again)) {
			t.Fatalf("two runs differ:\n%+v\n%+v", plain(first), plain(again))
		}
		seen := map[string]bool{}
		for _, f := range first {
			checkFinding(t, &f)
			if seen[f.ID] {
				t.Fatalf("two findings with the ID %s", f.ID)
			}
			seen[f.ID] = true
		}
	})
}

func checkFinding(t *rapid.T, f *finding.Finding) {
	incl, excl := *f.Share.Inclusive, *f.Share.Exclusive
	if excl < 0 || excl > incl+1e-12 || incl > 1 {
		t.Fatalf("%s: exclusive %v, inclusive %v", f.Rule, excl, incl)
	}
	if e := f.Estimate(); e != nil && (e.Low <= 0 || e.Low > e.Likely || e.Likely > e.High || e.High > 1 || e.High < 0.01) {
		t.Fatalf("%s: gain %v … %v", f.Rule, f.Gain.Low, f.Gain.High)
	}
	if f.Title == "" || len(f.Evidence) == 0 || len(f.Fix.Steps) == 0 || f.Next.IsZero() || f.Gain.Basis == "" {
		t.Fatalf("%s: something is not said: %+v", f.Rule, f)
	}
	parts := 0.0
	for _, e := range f.Evidence {
		if e.Share != nil {
			parts += *e.Share
		}
	}
	if parts > incl+1e-9 {
		t.Fatalf("%s: the matched functions have %v, the finding %v", f.Rule, parts, incl)
	}
}

func plain(fs []finding.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s %v %v %+v %+v %s", f.ID, *f.Share.Inclusive, f.Gain, f.Place, f.Fix, f.Next))
	}
	return out
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
