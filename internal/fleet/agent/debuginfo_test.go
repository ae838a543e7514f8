package agent

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/fleet/agent/spool"
	"whyhot/internal/fleet/debuginfo/upload"
)

// teller is a sampler that tells of binaries and stops by itself.
type teller struct {
	collect.Sampler

	tell []collect.Executable
}

func (s *teller) Record(_ context.Context, r collect.Request, _ collect.Sink) (collect.Outcome, error) {
	for _, e := range s.tell {
		r.Executable(e)
	}
	return collect.Outcome{}, nil
}

// taker takes what it is offered.
type taker struct {
	names []string
	ended bool
}

func (d *taker) Offer(b upload.Binary) bool {
	name := b.BuildID + " " + b.Path
	if file := b.File(); file != nil {
		name += " " + file.Name()
		_ = file.Close()
	}
	d.names = append(d.names, name)
	return false
}

func (d *taker) Run(ctx context.Context) { <-ctx.Done(); d.ended = true }

func (*taker) Stats() upload.Stats {
	return upload.Stats{Uploaded: 1, Bytes: 2, Known: 3, Failed: 4, Dropped: 5}
}

// The uploader gets the files that the sampler has, and ends when the recording does.
func TestBinariesAreOffered(t *testing.T) {
	kept, err := spool.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sampler := &teller{tell: []collect.Executable{
		{BuildID: "ab", Path: "/held", PID: 7, File: func() *os.File { f, _ := os.Open(self); return f }},
		{BuildID: "cd", Path: "/not", PID: 7, File: func() *os.File { return nil }},
	}}
	d := &taker{}
	a := New(Options{Sampler: sampler, Spool: kept, DebugInfo: d, Log: func(string) {}})
	if err := a.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped by itself") {
		t.Errorf("%v", err)
	}
	if got, want := strings.Join(d.names, "\n"), "ab /held "+self+"\ncd /not"; got != want || !d.ended {
		t.Errorf("%q, want %q; ended: %v", got, want, d.ended)
	}
	handler, err := a.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	handler.ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, want := range []string{"uploaded_total 1", "uploaded_bytes_total 2", "known_total 3", "failed_total 4", "dropped_total 5"} {
		if !strings.Contains(page.Body.String(), "whyhot_agent_debuginfo_"+want+"\n") {
			t.Errorf("%q is not among the metrics", want)
		}
	}
}
