package bisect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"whyhot/internal/host/wholefile"
)

// State is what a search knows, as it is kept: commits are named by their place in the
// line, since the key of a search names both ends and how the line was made.
type State struct {
	Version  int               `json:"version"`
	Key      string            `json:"key"`
	Logs     map[int][]float64 `json:"logs"`  // of each round to the reference
	Pairs    map[int][]float64 `json:"pairs"` // of each round to the commit before
	Noise    []float64         `json:"noise"` // of the reference to itself
	Skipped  map[int]string    `json:"skipped"`
	Programs map[int]string    `json:"programs"`
	Ready    map[int]bool      `json:"ready"`

	Builds       int     `json:"builds"`
	Runs         int     `json:"runs"`
	BuildSeconds float64 `json:"build_seconds"`
	RunSeconds   float64 `json:"run_seconds"`
	Seconds      float64 `json:"seconds"` // of earlier processes

	// Of the process that is under way.
	Same      bool `json:"-"` // both ends are one program
	Exhausted bool `json:"-"` // the budget is used up
}

const stateVersion = 1

func newState(key string) *State {
	return &State{
		Version: stateVersion, Key: key, Logs: map[int][]float64{}, Pairs: map[int][]float64{},
		Skipped: map[int]string{}, Programs: map[int]string{}, Ready: map[int]bool{},
	}
}

// loadState reads a state; a new one where there is none.
func loadState(path, key string) (*State, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(key), nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the search that was interrupted: %w", err)
	}
	s := newState(key)
	if err := json.Unmarshal(data, s); err != nil || s.Version != stateVersion || s.Key != key {
		return nil, fmt.Errorf("%s does not hold this search; --restart begins it again", path)
	}
	return s, nil
}

func (s *State) write(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, 0o600, wholefile.Bytes(append(data, '\n'))); err != nil {
		return fmt.Errorf("keeping the search: %w", err)
	}
	return nil
}
