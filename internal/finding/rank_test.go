package finding

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func shareOf(v float64) Share { return Share{Inclusive: &v} }

func ids(fs []Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.ID)
	}
	return out
}

func TestRank(t *testing.T) {
	trial := func(low float64) []Trial { return []Trial{{SpeedUp: Interval{Low: low}}} }
	fs := []Finding{
		{ID: "refuted", Certainty: Refuted, Gain: &Gain{Low: 0.5, Likely: 0.7, High: 0.9}, Share: shareOf(0.9)},
		{ID: "jq is jq", Certainty: Confirmed, Share: shareOf(0.97), Aside: true},
		{ID: "minor", Certainty: Confirmed, Share: shareOf(0.6), Minor: "only suspected"},
		{ID: "malloc-trim", Certainty: Suspected, Share: shareOf(0.021), Gain: &Gain{NoEstimate: true, Basis: "elsewhere"}},
		{ID: "broad", Certainty: Suspected, Share: shareOf(0.9), Gain: &Gain{NoEstimate: true, Basis: "the data decide"}},
		{ID: "streams", Certainty: Suspected, Share: shareOf(0.32), Gain: &Gain{Low: 0.1, Likely: 0.29, High: 0.4}},
		{ID: "at most", Certainty: Suspected, Share: shareOf(0.04), Gain: &Gain{High: 0.9, Basis: "a guess"}},
		{ID: "small", Certainty: Suspected, Share: shareOf(0.6), Gain: &Gain{Low: 0.01, High: 0.03}},
		{ID: "proved 1.1", Certainty: Proved, Share: shareOf(0.2), Trials: trial(1.1)},
		{ID: "proved 1.3", Certainty: Proved, Share: shareOf(0.1), Trials: trial(1.3)},
		{ID: "-O0", Certainty: Confirmed, Share: shareOf(0.3), Foremost: true},
	}
	Rank(fs)
	want := []string{"-O0", "proved 1.3", "proved 1.1", "streams", "broad", "small", "at most", "malloc-trim", "minor", "jq is jq", "refuted"}
	if got := ids(fs); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// printed is what a reader of the JSON has to go by.
type printed struct {
	ID        string
	Certainty Certainty
	Share     struct{ Main *float64 }
	Gain      *struct {
		Low, High, Likely *float64
		NoEstimate        bool `json:"no_estimate"`
	}
	Trials                   []Trial
	Aside, General, Foremost bool
	Minor                    string
}

// key is the sentence of docs/guide/explain.md: the class, then the measured gain of what is
// proved, then the saving that is printed or a quarter of the share.
func (p *printed) key() []float64 {
	class := 2.0
	switch {
	case p.Certainty == Refuted:
		class = 5
	case p.Foremost:
		class = 0
	case p.Aside || p.General:
		class = 4
	case p.Minor != "":
		class = 3
	case p.Certainty == Proved:
		class = 1
	}
	measured := 0.0
	if class == 1 {
		for _, t := range p.Trials {
			measured = max(measured, 1-1/t.SpeedUp.Low)
		}
	}
	share, worth := 0.0, 0.0
	if p.Share.Main != nil {
		share = *p.Share.Main
		worth = share / 4
	}
	if g := p.Gain; g != nil && !g.NoEstimate {
		worth = (*g.Low + *g.High) / 2
		if g.Likely != nil {
			worth = *g.Likely
		}
	}
	return []float64{class, -measured, -worth, -share}
}

// The order can be computed again from the fields that are printed, and no number is in the
// JSON that the text leaves out.
func TestOrderFollowsFromTheJSON(t *testing.T) {
	fraction := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		fs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Finding {
			f := Finding{
				ID:        rapid.StringMatching(`[a-z]{6}`).Draw(t, "id"),
				Certainty: rapid.SampledFrom([]Certainty{Suspected, Confirmed, Proved, Refuted}).Draw(t, "certainty"),
				Aside:     rapid.IntRange(0, 5).Draw(t, "aside") == 0,
				Foremost:  rapid.IntRange(0, 5).Draw(t, "foremost") == 0,
			}
			share := fraction.Draw(t, "share")
			switch rapid.IntRange(0, 2).Draw(t, "kind of share") {
			case 0:
				f.Share = Share{Exclusive: &share}
			case 1:
				f.Share = Share{Inclusive: &share}
			}
			if rapid.Bool().Draw(t, "gain") {
				f.Gain = &Gain{
					Low: fraction.Draw(t, "low") / 2, High: 0.5 + fraction.Draw(t, "high")/2,
					Likely: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "likely"), NoEstimate: rapid.Bool().Draw(t, "none"), Basis: "x",
				}
			}
			if f.Certainty == Proved || f.Certainty == Refuted {
				f.Trials = []Trial{{SpeedUp: Interval{Low: 0.5 + fraction.Draw(t, "low end")}}}
			}
			return f
		}), 0, 12).Draw(t, "findings")
		Rank(fs)
		text, err := json.Marshal(fs)
		if err != nil {
			t.Fatal(err)
		}
		var read []printed
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(read); i++ {
			if slices.Compare(read[i-1].key(), read[i].key()) > 0 {
				t.Fatalf("%s before %s:\n%s", read[i-1].ID, read[i].ID, text)
			}
		}
		for i := range read {
			if g := read[i].Gain; g != nil && (fs[i].Estimate() == nil) != (g.Low == nil && g.High == nil && g.Likely == nil) {
				t.Fatalf("numbers that are not printed: %s", text)
			}
		}
	})
}

func TestWorked(t *testing.T) {
	aside, other, refuted := Finding{ID: "aside", Aside: true}, Finding{ID: "other"}, Finding{ID: "refuted", Certainty: Refuted}
	for _, c := range []struct {
		in   []Finding
		want []string
	}{
		{[]Finding{other, aside}, []string{"other"}},
		{[]Finding{aside}, []string{"aside"}},
		{[]Finding{aside, refuted}, []string{"aside", "refuted"}},
		{nil, nil},
	} {
		if got := ids(Worked(c.in)); !slices.Equal(got, c.want) {
			t.Errorf("of %v: %v, want %v", ids(c.in), got, c.want)
		}
	}
}

func TestSeparate(t *testing.T) {
	fs := []Finding{{ID: "a", Place: Place{File: "b.c", Line: 2}}, {ID: "a", Place: Place{File: "b.c", Line: 1}}, {ID: "x"}}
	Separate(fs)
	if fs[0].ID == "a" || fs[1].ID != "a" || fs[2].ID != "x" {
		t.Errorf("%v", ids(fs))
	}
}
