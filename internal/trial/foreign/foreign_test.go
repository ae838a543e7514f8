package foreign

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const google = `{
  "context": {"cpu_scaling_enabled": true, "library_build_type": "debug"},
  "benchmarks": [
    {"name": "BM_Sort/8", "run_name": "BM_Sort/8", "run_type": "iteration", "repetitions": 3, "repetition_index": 0, "real_time": 12.5, "cpu_time": 12.0, "time_unit": "ns"},
    {"name": "BM_Sort/8", "run_name": "BM_Sort/8", "run_type": "iteration", "repetitions": 3, "repetition_index": 1, "real_time": 12.7, "cpu_time": 12.1, "time_unit": "ns"},
    {"name": "BM_Sort/8_mean", "run_name": "BM_Sort/8", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 12.6, "cpu_time": 12.05, "time_unit": "ns"},
    {"name": "BM_Sort/8_cv", "run_name": "BM_Sort/8", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0, "cpu_time": 0.01, "time_unit": "ns"},
    {"name": "BM_Copy_mean", "run_name": "BM_Copy", "run_type": "aggregate", "aggregate_name": "mean", "repetitions": 5, "real_time": 2.0, "cpu_time": 1.9, "time_unit": "ms"},
    {"name": "BM_Copy_median", "run_name": "BM_Copy", "run_type": "aggregate", "aggregate_name": "median", "repetitions": 5, "real_time": 1.5, "cpu_time": 1.4, "time_unit": "ms"},
    {"name": "BM_Bad", "run_name": "BM_Bad", "run_type": "iteration", "error_occurred": true, "error_message": "no file", "real_time": 0, "time_unit": "ns"}
  ]
}`

func TestGoogleBenchmark(t *testing.T) {
	r, err := Parse([]byte(google), Real)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tool != "Google Benchmark" || len(r.Series) != 2 {
		t.Fatalf("%+v", r)
	}
	sort, copied := r.Series[0], r.Series[1]
	if sort.Name != "BM_Sort/8" || len(sort.Values) != 2 || math.Abs(sort.Values[1]-12.7e-9) > 1e-15 || sort.Summarized != 0 {
		t.Errorf("%+v", sort)
	}
	if copied.Name != "BM_Copy" || len(copied.Values) != 1 || copied.Values[0] != 1.5e-3 || copied.Summarized != 5 {
		t.Errorf("aggregates: %+v", copied)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "cpu_scaling") || !strings.Contains(notes, "debug build") || !strings.Contains(notes, "BM_Bad failed") {
		t.Errorf("notes %q", notes)
	}
	if r, err := Parse([]byte(google), CPU); err != nil || math.Abs(r.Series[0].Values[0]-12e-9) > 1e-15 {
		t.Errorf("CPU time: %+v, %v", r, err)
	}
}

func TestHyperfine(t *testing.T) {
	r, err := Parse([]byte(`{"results": [
	  {"command": "jq . a.json", "mean": 1, "median": 1.1, "times": [1.0, 1.1, 1.2], "exit_codes": [0, 1, null]},
	  {"command": "sort {file}", "times": [2.0], "exit_codes": [0], "parameters": {"file": "b"}},
	  {"command": "wc", "median": 0.5}
	]}`), Real)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tool != "hyperfine" || len(r.Series) != 3 || len(r.Series[0].Values) != 3 || r.Series[1].Name != "sort {file} (file=b)" || r.Series[2].Summarized == 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "2 of 3 runs failed") {
		t.Errorf("notes %q", r.Notes)
	}
	if _, err := Parse([]byte(`{"results": [{"command": "a", "times": [1]}]}`), CPU); err == nil {
		t.Error("hyperfine has no CPU times")
	}
}

func TestWhatIsNoResult(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "not JSON",
		"{\n\"benchmarks\": [\n":          "line 3",
		"{}":                              "neither",
		"[]":                              "cannot be",
		`{"benchmarks": []}`:              "measured nothing",
		`{"results": []}`:                 "measured nothing",
		`{"results": 3}`:                  "cannot be",
		`{"results": [{"command": "a"}]}`: "above 0",
		`{"benchmarks": [{"name": "a", "real_time": 1, "time_unit": "weeks"}]}`: "time unit",
		`{"benchmarks": [{"name": "a", "real_time": -1}]}`:                      "above 0",
	} {
		if _, err := Parse([]byte(text), Real); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.json"), nil, Real); err == nil || !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("error %v", err)
	}
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err
		}
		if os.IsNotExist(err) {
			return err
		}
		err = u.Unwrap()
	}
}

// Whatever the bytes: an error, or series whose values can be divided.
func FuzzParse(f *testing.F) {
	f.Add([]byte(google))
	f.Add([]byte(`{"results": [{"command": "a", "times": [1.0, 2]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data, Real)
		if err != nil {
			return
		}
		for _, s := range r.Series {
			if len(s.Values) == 0 {
				t.Fatalf("%q has no value", s.Name)
			}
			for _, v := range s.Values {
				if v <= 0 || math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%q: %v", s.Name, v)
				}
			}
		}
	})
}
