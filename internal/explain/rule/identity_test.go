package rule

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// An identity rests on no sample: what is found in each of two random halves of a profile
// has the same id in both, and in the whole. The profiles are those of the catalogue's own
// tests, thousandfold, so that both halves have enough.
func TestHalvesHaveTheSameIDs(t *testing.T) {
	cat := builtin(t)
	var texts []string
	for i := range cat.Entries {
		for _, test := range cat.Entries[i].Tests {
			if test.Expect != catalog.ExpectSilent && len(test.Facts) == 0 && len(test.Sources) == 0 {
				texts = append(texts, test.Profile)
			}
		}
	}
	const each = 40 // of the profiles: a run takes a tenth of a second
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < len(texts); n += each {
		a, b := halves(texts[n], random)
		whole, one, two := idsOf(t, cat, times(texts[n])), idsOf(t, cat, a), idsOf(t, cat, b)
		for rule, id := range one {
			if other := two[rule]; other != "" && other != id || whole[rule] != "" && whole[rule] != id {
				t.Errorf("%s: %s and %s in the halves, %s in the whole", rule, id, other, whole[rule])
			}
		}
	}
}

func idsOf(t *testing.T, cat *catalog.Catalog, text string) map[string]string {
	t.Helper()
	found, _, err := Run(t.Context(), parse(t, text), cat, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range found {
		out[f.Rule] += f.ID + " "
	}
	return out
}

// more is how often each sample of a profile is taken.
const more = 1000

func times(text string) string {
	return counted(text, func(n int) int { return more * n })
}

// halves deals the samples of folded stacks out to two profiles, a quarter of each stack's
// at least.
func halves(text string, random *rand.Rand) (a, b string) {
	var left []int
	a = counted(text, func(n int) int {
		left = append(left, more*n/4+random.IntN(more*n/2+1))
		return left[len(left)-1]
	})
	at := -1
	b = counted(text, func(n int) int {
		at++
		return more*n - left[at]
	})
	return a, b
}

func counted(text string, count func(int) int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		stack, n, ok := cutLast(strings.TrimSpace(line))
		if v, err := strconv.Atoi(n); ok && err == nil {
			fmt.Fprintf(&out, "%s %d\n", stack, count(v))
		}
	}
	return out.String()
}

// The place, the caller and the library of a finding are those with the most samples: its id
// has none of them.
func TestTheLeadingCallerIsNotInTheID(t *testing.T) {
	const text = "app;main_[app];a_[app];std::vector<int>::_M_realloc_insert<int>_[app] %d\napp;main_[app];b_[app];std::vector<int>::_M_realloc_insert<int>_[app] %d\napp;main_[app];work_[app] 400\n"
	one := run(t, parse(t, fmt.Sprintf(text, 400, 100)), only(t, "vector-growth"), nil)
	two := run(t, parse(t, fmt.Sprintf(text, 100, 400)), only(t, "vector-growth"), nil)
	if len(one) != 1 || len(two) != 1 || one[0].Place.Function == two[0].Place.Function {
		t.Fatalf("%+v\n%+v", one, two)
	}
	if one[0].ID != two[0].ID || one[0].ID != finding.ID("vector-growth", finding.Place{}, "app") {
		t.Errorf("%s and %s", one[0].ID, two[0].ID)
	}
}

// A program of the user's that has the name of a tool is not that tool.
func TestProgramOfThatName(t *testing.T) {
	for path, want := range map[string]int{
		"/usr/bin/locate": 1, "/usr/local/bin/locate": 1, "/home/me/parcels/locate": 0, "locate": 1,
	} {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: path, Start: 0x1000, Limit: 0x9000})
		fn := b.Function(profile.Function{Name: "main", Mapping: m, Kind: profile.KindNative})
		loc := b.Location(m, 0x1100, profile.KindNative, profile.Line{Function: fn})
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: "locate"}})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Labels: labels, Count: 1000, Value: 1000})
		if got := run(t, b.Build(profile.Meta{}), only(t, "locate-plocate"), nil); len(got) != want {
			t.Errorf("%s: %d findings, want %d", path, len(got), want)
		}
	}
}
