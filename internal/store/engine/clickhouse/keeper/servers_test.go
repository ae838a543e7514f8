package keeper

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestServersAreTriedInTurn(t *testing.T) {
	s := &servers{}
	names := []string{"a:1", "b:2", "c:3"}
	if err := s.Init(names); err != nil || s.Len() != 3 {
		t.Fatal(s.Len(), err)
	}
	for round := range 3 {
		var got []string
		for i := range 3 {
			name, all := s.Next()
			got = append(got, name)
			if all != (round > 0 && i == 0) {
				t.Errorf("round %d, server %d: all were tried: %t", round, i, all)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, names) {
			t.Error(got)
		}
	}
	s.Connected()
	if _, all := s.Next(); all {
		t.Error("after one was connected to")
	}
}

// A name that has no address at the moment does not stop a session with the others, and is away as
// one that does not answer.
func TestNameWithoutAnAddress(t *testing.T) {
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Open(short, []string{"nowhere.invalid:2181"}, "/whyhot/x"); !errors.Is(err, ErrAway) {
		t.Error(err)
	}
	address, _ := server(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	k, err := Open(ctx, []string{"nowhere.invalid:2181", address}, "/whyhot/names")
	if err != nil {
		t.Fatal(err)
	}
	k.Close()
}
