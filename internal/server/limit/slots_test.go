package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func take(t *testing.T, s *Slots, client string) func() {
	t.Helper()
	release, err := s.Take(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// queue has a client wait for a slot. order gets its name when it is served; it gives the
// slot back at once. It returns how many requests were ahead.
func queue(t *testing.T, s *Slots, client string, order *[]string) int {
	t.Helper()
	place := make(chan int, 1)
	go func() {
		release, err := s.Take(t.Context(), client, func(ahead int) { place <- ahead })
		if err != nil {
			t.Error(err)
			return
		}
		*order = append(*order, client)
		release()
	}()
	return <-place
}

func TestClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 100, time.Hour)
		release := take(t, s, "first")
		var order []string
		for i, one := range []struct {
			client string
			ahead  int
		}{{"a", 0}, {"a", 1}, {"a", 2}, {"b", 1}, {"b", 3}, {"c", 2}} {
			if got := queue(t, s, one.client, &order); got != one.ahead {
				t.Errorf("request %d, of %s: %d ahead, want %d", i, one.client, got, one.ahead)
			}
		}
		release()
		synctest.Wait()
		want := []string{"a", "b", "c", "a", "b", "a"}
		for i := range want {
			if i >= len(order) || order[i] != want[i] {
				t.Fatalf("served %v, want %v", order, want)
			}
		}
		take(t, s, "first")() // the slot is free again
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		release := take(t, s, "a")
		var served []string
		queue(t, s, "b", &served)
		busy := (*BusyError)(nil)
		if _, err := s.Take(t.Context(), "c", nil); !errors.As(err, &busy) || busy.Ahead != 1 {
			t.Errorf("the queue is full: %v", err)
		}
		release()
		synctest.Wait()
		release = take(t, s, "a")
		// A wait that is too long ends with the place that was reached.
		if _, err := s.Take(t.Context(), "b", nil); !errors.As(err, &busy) || busy.Ahead != 0 {
			t.Errorf("the wait is over: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Take(gone, "b", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the client is gone: %v", err)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Take(late, "b", nil); !errors.As(err, &busy) {
			t.Errorf("its time is over: %v", err)
		}
		release()
		take(t, s, "b")() // none of those that gave up holds it
	})
}
