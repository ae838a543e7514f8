package cookie

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestSecure(t *testing.T) {
	for _, c := range []struct {
		jar       Jar
		forwarded string
		want      bool
	}{{Jar{}, "", false}, {Jar{}, "https", true}, {Jar{Secure: true}, "", true}, {Jar{Secure: true}, "http", true}} {
		r := httptest.NewRequest("GET", "http://whyhot.example.org/", nil)
		r.Header.Set("X-Forwarded-Proto", c.forwarded)
		w := httptest.NewRecorder()
		c.jar.Set(w, r, Session, "text", time.Hour)
		set := w.Header().Get("Set-Cookie")
		if strings.Contains(set, "Secure") != c.want || strings.HasPrefix(set, "__Host-") != c.want {
			t.Errorf("%+v, %q: %s", c.jar, c.forwarded, set)
		}
		r.Header.Set("Cookie", strings.Split(set, ";")[0])
		if got := c.jar.Get(r, Session); got != "text" {
			t.Errorf("%+v: it is read as %q", c.jar, got)
		}
	}
}
