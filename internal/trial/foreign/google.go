package foreign

import (
	"encoding/json"
	"fmt"
	"math"
)

type googleFile struct {
	Context struct {
		Scaling     bool   `json:"cpu_scaling_enabled"`
		LibraryType string `json:"library_build_type"`
	} `json:"context"`
	Benchmarks []googleRow `json:"benchmarks"`
}

type googleRow struct {
	Name        string  `json:"name"`
	RunName     string  `json:"run_name"`
	RunType     string  `json:"run_type"`
	Aggregate   string  `json:"aggregate_name"`
	Repetitions int     `json:"repetitions"`
	RealTime    float64 `json:"real_time"`
	CPUTime     float64 `json:"cpu_time"`
	TimeUnit    string  `json:"time_unit"`
	Error       bool    `json:"error_occurred"`
	Message     string  `json:"error_message"`
	// Manual and asymptotic rows (BigO, RMS) have no time.
}

// parseGoogle collects the repetitions of every run_name, in the file's order.
// Where the file has aggregates only, their median (else mean) is the one value.
func parseGoogle(data []byte, t Time) (*Results, error) {
	var f googleFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, jsonError(data, err)
	}
	out := &Results{Tool: GoogleBenchmark}
	if f.Context.Scaling {
		out.Notes = append(out.Notes, "CPU frequency scaling was on while this was measured (cpu_scaling_enabled)")
	}
	if f.Context.LibraryType == "debug" {
		out.Notes = append(out.Notes, "the benchmark library was a debug build (library_build_type)")
	}
	at := map[string]int{}
	aggregates := map[string]googleRow{}
	for _, row := range f.Benchmarks {
		name := row.RunName
		if name == "" { // before version 1.5
			name = row.Name
		}
		switch {
		case row.Error:
			out.Notes = append(out.Notes, fmt.Sprintf("%s failed when it was measured: %s", name, row.Message))
		case row.RunType == "aggregate":
			if old, ok := aggregates[name]; row.Aggregate == "median" || row.Aggregate == "mean" && (!ok || old.Aggregate != "median") {
				aggregates[name] = row
			}
			if _, ok := at[name]; !ok {
				at[name] = len(out.Series)
				out.Series = append(out.Series, Series{Name: name, Unit: seconds})
			}
		default:
			v, err := row.seconds(t)
			if err != nil {
				return nil, fmt.Errorf("benchmark %s: %w", row.Name, err)
			}
			if _, ok := at[name]; !ok {
				at[name] = len(out.Series)
				out.Series = append(out.Series, Series{Name: name, Unit: seconds})
			}
			s := &out.Series[at[name]]
			s.Values = append(s.Values, v)
		}
	}
	return out.withAggregates(aggregates, t)
}

func (r *Results) withAggregates(aggregates map[string]googleRow, t Time) (*Results, error) {
	var kept []Series
	for _, s := range r.Series {
		if row, ok := aggregates[s.Name]; ok && len(s.Values) == 0 {
			v, err := row.seconds(t)
			if err != nil {
				return nil, fmt.Errorf("benchmark %s: %w", row.Name, err)
			}
			s.Values, s.Summarized = []float64{v}, max(1, row.Repetitions)
		}
		if len(s.Values) > 0 {
			kept = append(kept, s)
		}
	}
	r.Series = kept
	return r, nil
}

func (row *googleRow) seconds(t Time) (float64, error) {
	v := row.RealTime
	if t == CPU {
		v = row.CPUTime
	}
	units := map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "": 1e-9}
	unit, ok := units[row.TimeUnit]
	if !ok {
		return 0, fmt.Errorf("time unit %q is none of ns, us, ms, s", row.TimeUnit)
	}
	if v <= 0 || math.IsInf(v, 0) {
		return 0, fmt.Errorf("its time is %v %s: ratios need times above 0", v, row.TimeUnit)
	}
	return v * unit, nil
}
