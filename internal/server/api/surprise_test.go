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
