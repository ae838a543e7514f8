package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"whyhot/internal/finding"
)

func one(variant string, verdict finding.Verdict) finding.Trial {
	return finding.Trial{Variant: variant, Command: []string{"c"}, Runs: 9, SpeedUp: finding.Interval{Estimate: 1.1, Low: 1, High: 1.2}, Verdict: verdict}
}

func TestAppendAndLoad(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "p.pb.gz")
	if all, err := Load(profile); err != nil || len(all) != 0 {
		t.Fatalf("a profile without trials: %v, %v", all, err)
	}
	for _, v := range []string{"a", "b"} {
		if err := Append(profile, "f1", []finding.Trial{one(v, "faster")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Append(profile, "f2", []finding.Trial{one("c", "slower")}); err != nil {
		t.Fatal(err)
	}
	all, err := Load(profile)
	if err != nil || len(all["f1"]) != 2 || all["f1"][1].Variant != "b" || all["f2"][0].Verdict != "slower" {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := Append(profile, "f3", nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(profile))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the profile: %v, %v", entries, err)
	}
}

func TestNoTrialIsLostWhenTwoAppend(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "p")
	var wg sync.WaitGroup
	const n = 20
	for i := range n {
		wg.Go(func() {
			if err := Append(profile, "f", []finding.Trial{one(fmt.Sprint(i), "same")}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := Load(profile)
	if err != nil || len(all["f"]) != n {
		t.Errorf("%d trials, %v", len(all["f"]), err)
	}
}

func TestDamage(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "p")
	for content, want := range map[string]string{
		`{"version": 1, "tri`:                  "damaged",
		`{"version": 9}`:                       "version 9",
		`[]`:                                   "damaged",
		`{"version": 1, "trials": {"a": "b"}}`: "damaged",
	} {
		if err := os.WriteFile(Path(profile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(profile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
		if err := Append(profile, "f", []finding.Trial{one("a", "x")}); err == nil {
			t.Errorf("%s: a damaged file was overwritten", content)
		}
	}
	if err := Append(filepath.Join(t.TempDir(), "no", "dir"), "f", []finding.Trial{one("a", "x")}); err == nil {
		t.Error("appended where there is no directory")
	}
}

func TestCertainty(t *testing.T) {
	for _, c := range []struct {
		trials []finding.Trial
		want   finding.Certainty
	}{
		{nil, ""},
		{[]finding.Trial{one("a", "faster"), one("b", "slower")}, finding.Proved},
		{[]finding.Trial{one("a", "slower"), one("b", "no difference")}, finding.Refuted},
		{[]finding.Trial{one("a", "slower"), one("b", "unclear")}, ""},
		{[]finding.Trial{one("a", "different output")}, ""},
		{[]finding.Trial{one("a", "no effect"), one("b", "failed")}, ""},
		{[]finding.Trial{one("a", "no difference"), one("b", "different output")}, finding.Refuted},
		{[]finding.Trial{one("a", "faster"), one("a", "no difference")}, finding.Refuted}, // the latest of one variant counts
		{[]finding.Trial{one("a", "unclear"), one("a", "faster")}, finding.Proved},
	} {
		if got := Certainty(c.trials); got != c.want {
			t.Errorf("%v: %q, want %q", c.trials, got, c.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"trials":{"f":[{"variant":"a","command":["c"],"runs":3,"speed_up":{"estimate":1,"low":1,"high":1},"verdict":"faster"}]}}`))
	f.Add([]byte(`{"version":1}`))
	profile := filepath.Join(f.TempDir(), "p")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(Path(profile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := Load(profile)
		if err != nil {
			return
		}
		for _, ts := range all {
			Certainty(ts)
		}
	})
}
