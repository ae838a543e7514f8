package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/server/servertest"
)

// One of six services changed; the others go on as before.
func TestOneServiceSurprises(t *testing.T) {
	r := start(t, Limits{})
	now := time.Now()
	const services, hours = 6, 8
	for s := range services {
		for h := range hours {
			parse, idle := int64(300+7*((s+h)%3)), int64(700-7*((s+2*h)%3))
			version := "1"
			if s == 2 && h == 0 {
				parse, idle, version = 700, 300, "2"
			}
			at := now.Add(-time.Duration(h)*time.Hour - 20*time.Minute)
			data := servertest.Pprof(t, servertest.Profile(at, parse, idle))
			path := fmt.Sprintf("/api/v1/push?project=default&service=s%d&version=%s", s, version)
			if resp, body := r.do(http.MethodPost, path, "", data); resp.StatusCode != http.StatusOK {
				t.Fatalf("%s\n%s", resp.Status, body)
			}
		}
	}
	r.flush("default")
	for s := range services {
		var got surprisesForm
		r.get(fmt.Sprintf("/api/v1/surprises?service=s%d&from=now-1h", s), "", &got)
		if got.Windows < 6 || got.Services != services-1 {
			t.Errorf("s%d: held against %d windows and %d services", s, got.Windows, got.Services)
		}
		if s != 2 {
			if len(got.Surprises) != 0 {
				t.Errorf("s%d did not change: %+v", s, got.Surprises)
			}
			continue
		}
		if len(got.Surprises) == 0 {
			t.Fatal("s2 changed, and nothing is said")
		}
		if one := got.Surprises[0]; one.Against != finding.AgainstPast || !strings.Contains(one.Why, "version 2 is new") {
			t.Errorf("s2: %+v", one)
		}
	}
}

// A past within the hour in which the selection begins is one like any other.
func TestPastWithinAnHour(t *testing.T) {
	r := start(t, Limits{})
	hour := time.Now().UTC().Add(-3 * time.Hour).Truncate(time.Hour)
	send := func(at time.Time, version string, parse, idle int64) {
		t.Helper()
		data := servertest.Pprof(t, servertest.Profile(at, parse, idle))
		if resp, body := r.do(http.MethodPost, "/api/v1/push?project=default&service=s&version="+version, "", data); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s\n%s", resp.Status, body)
		}
	}
	for minute := 10; minute < 40; minute += 5 {
		send(hour.Add(time.Duration(minute)*time.Minute+time.Second), "1", 300+int64(minute%3), 700)
	}
	send(hour.Add(41*time.Minute), "2", 700, 300)
	r.flush("default")
	var got surprisesForm
	at := func(minute int) string { return hour.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339) }
	r.get("/api/v1/surprises?service=s&from="+at(40)+"&to="+at(45), "", &got)
	if len(got.Surprises) == 0 || !strings.Contains(got.Surprises[0].Why, "version 2 is new") {
		t.Errorf("%+v", got)
	}
}
