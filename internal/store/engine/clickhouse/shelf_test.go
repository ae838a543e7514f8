package clickhouse_test

import (
	"slices"
	"testing"

	"whyhot/internal/store/engine/clickhouse"
)

// What two processes put on a shelf both find there, once, also after the server was away.
func TestShelf(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	var both []*clickhouse.Shelf
	for range 2 {
		s, err := clickhouse.OpenShelf(o, "tokens")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		both = append(both, s)
		if n, err := s.Len(t.Context()); err != nil || n != 0 {
			t.Fatalf("%d, %v", n, err)
		}
	}
	for _, s := range both {
		if err := s.Add(t.Context(), []string{"one", "it's \\ two\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := both[0].Add(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	shards[0].kill()
	if _, err := both[0].Len(t.Context()); err == nil {
		t.Error("a server that is away answers")
	}
	servers(t)
	for _, s := range both {
		got, err := s.All(t.Context())
		slices.Sort(got)
		if n, lenErr := s.Len(t.Context()); err != nil || lenErr != nil || n != 4 || !slices.Equal(got, []string{"it's \\ two\n", "one"}) {
			t.Errorf("%q, %d, %v, %v", got, n, err, lenErr)
		}
	}
}

// A shelf that ages has what was added lately, and days that are over go.
func TestShelfAges(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	now, err := clickhouse.OpenAgeing(o, "sessions", 31)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if err := now.Add(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	// As if that was long ago: today is already older than a day that is to come.
	later, err := clickhouse.OpenAgeing(o, "sessions", -1)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if err := now.Add(t.Context(), []string{"two"}); err != nil {
		t.Fatal(err)
	}
	if got, err := now.All(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
	if err := later.Add(t.Context(), []string{"three"}); err != nil {
		t.Fatal(err)
	}
	if got, err := now.All(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
