package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type hyperfineFile struct {
	Results []struct {
		Command    string            `json:"command"`
		Median     float64           `json:"median"`
		Mean       float64           `json:"mean"`
		Times      []float64         `json:"times"`
		ExitCodes  []*int            `json:"exit_codes"`
		Parameters map[string]string `json:"parameters"`
	} `json:"results"`
}

// parseHyperfine takes the times of every command. A run without an exit code
// was ended by a signal.
func parseHyperfine(data []byte, t Time) (*Results, error) {
	if t == CPU {
		return nil, errors.New("hyperfine's JSON has the CPU time as a mean of all runs only: compare the wall time")
	}
	var f hyperfineFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, jsonError(data, err)
	}
	out := &Results{Tool: Hyperfine}
	for _, r := range f.Results {
		s := Series{Name: r.Command, Unit: seconds, Values: r.Times}
		if len(r.Parameters) > 0 && !mentions(r.Command, r.Parameters) {
			s.Name += " (" + describe(r.Parameters) + ")"
		}
		if len(s.Values) == 0 {
			v := r.Median
			if v <= 0 {
				v = r.Mean
			}
			s.Values, s.Summarized = []float64{v}, 1
		}
		for i, v := range s.Values {
			if v <= 0 {
				return nil, fmt.Errorf("command %q, run %d: its time is %v: ratios need times above 0", r.Command, i+1, v)
			}
		}
		failed := 0
		for _, code := range r.ExitCodes {
			if code == nil || *code != 0 {
				failed++
			}
		}
		if failed > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: %d of %d runs failed when it was measured", r.Command, failed, len(r.ExitCodes)))
		}
		out.Series = append(out.Series, s)
	}
	return out, nil
}

// mentions says that the command line already tells all parameters.
func mentions(command string, parameters map[string]string) bool {
	for _, v := range parameters {
		if !strings.Contains(command, v) {
			return false
		}
	}
	return true
}

func describe(parameters map[string]string) string {
	parts := make([]string, 0, len(parameters))
	for _, k := range slices.Sorted(maps.Keys(parameters)) {
		parts = append(parts, k+"="+parameters[k])
	}
	return strings.Join(parts, ", ")
}
