package api

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"whyhot/internal/ingest"
	"whyhot/internal/server/servertest"
)

// Profiles that were pushed cover their own duration, whatever lies between them: two of 6 s with
// 3 s of CPU each are half a core, on the last hour and on the last week, as JSON and as the
// profile that a command line gets.
func TestPushedProfilesCoverTheirDuration(t *testing.T) {
	r := start(t, Limits{})
	now := time.Now().Truncate(time.Second)
	for _, ago := range []time.Duration{3 * 24 * time.Hour, 30 * time.Minute} {
		p := servertest.Profile(now.Add(-ago), 3000, 0)
		p.Meta.Duration = 6*time.Second + 20*time.Millisecond
		if resp, body := r.do(http.MethodPost, "/api/v1/push?service=web", "", servertest.Pprof(t, p)); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s\n%s", resp.Status, body)
		}
	}
	r.flush("default")
	for _, x := range []struct {
		from string
		want time.Duration
	}{{"now-1h", 6 * time.Second}, {"now-6h", 6 * time.Second}, {"now-7d", 12 * time.Second}} {
		var top topForm
		r.get("/api/v1/top?from="+x.from, "", &top)
		if top.Basis.Covered != x.want.Seconds() || top.Basis.Value != int64(x.want)/2 {
			t.Errorf("from %s: %v s are covered by %d ns of CPU, want %s", x.from, top.Basis.Covered, top.Basis.Value, x.want)
		}
		_, data := r.do(http.MethodGet, "/api/v1/profile?from="+x.from, "", nil)
		p, err := ingest.Read(t.Context(), bytes.NewReader(data), "the profile", ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Meta.Duration != x.want {
			t.Errorf("from %s: the profile lasted %s, want %s", x.from, p.Meta.Duration, x.want)
		}
	}
}

// What is stamped two days ahead is not taken, and its sender is told how many samples that were.
// A client that says that a profile began in 1970 does not make it one of the future.
func TestSamplesOfTheFuture(t *testing.T) {
	r := start(t, Limits{})
	now := time.Now()
	ahead := servertest.Pprof(t, servertest.Profile(now.Add(48*time.Hour), 300, 31))
	if resp, body := r.do(http.MethodPost, "/api/v1/push?service=web", "", ahead); resp.StatusCode != http.StatusOK ||
		!strings.Contains(string(body), `"samples":0`) || !strings.Contains(string(body), "331 samples are of more than 10m0s after the server's time, and were dropped") {
		t.Errorf("%s %s", resp.Status, body)
	}
	if resp, body := r.do(http.MethodPost, "/ingest?name=app&format=pprof&from=1", "", servertest.Pprof(t, servertest.Profile(now, 40, 0))); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s", resp.Status, body)
	}
	r.flush("default")
	var top topForm
	if r.get("/api/v1/top", "", &top); top.Basis.Count != 40 {
		t.Errorf("%d samples, want 40", top.Basis.Count)
	}
}

// Each sample is in one of two ranges that touch, and each answer says which time it is of.
func TestRangesThatTouch(t *testing.T) {
	r := start(t, Limits{})
	now := time.Now()
	for ago := range 6 {
		p := servertest.Profile(now.Add(-time.Duration(ago)*time.Minute), 100, 0)
		if resp, body := r.do(http.MethodPost, "/api/v1/push?service=web", "", servertest.Pprof(t, p)); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s\n%s", resp.Status, body)
		}
	}
	r.flush("default")
	middle := now.Add(-150 * time.Second).UTC().Format(time.RFC3339)
	var before, after topForm
	r.get("/api/v1/top?from=now-1h&to="+middle, "", &before)
	r.get("/api/v1/top?from="+middle, "", &after)
	if sum := before.Basis.Count + after.Basis.Count; sum != 600 {
		t.Errorf("%d and %d samples, want 600 together", before.Basis.Count, after.Basis.Count)
	}
	if !before.Basis.To.Equal(after.Basis.From) || !after.Basis.To.After(now) {
		t.Errorf("up to %s, then from %s to %s", before.Basis.To, after.Basis.From, after.Basis.To)
	}
	_, data := r.do(http.MethodGet, "/api/v1/profile?from=now-1h&to="+middle, "", nil)
	p, err := ingest.Read(t.Context(), bytes.NewReader(data), "the profile", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Meta.Range.Until.Equal(before.Basis.To) || p.Meta.Range.From.After(p.Meta.Start) {
		t.Errorf("the profile says %v", p.Meta.Range)
	}
}
